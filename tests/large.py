#!/usr/bin/env python3
"""Sizes at which an index, a product of two indices or a number of bytes leaves 32 bits.
    large.py PROGRAM
Interval: n = 46,340 and 46,341 (n^2 around 2^31), the table's optimum against Hu-Shing's. Linear: more than 2^31 cells.
Takes a quarter of an hour and 9 GB."""
import json
import os
import subprocess
import sys

program = sys.argv[1]


def solve(*arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        print(arguments, done.stderr)
        sys.exit(1)
    return json.loads(done.stdout)


def memory():
    with open("/proc/meminfo") as file:
        lines = dict(line.split(":") for line in file)
    return int(lines["MemAvailable"].split()[0]) * 1024


if memory() < 10 << 30:
    print(f"skipped: {memory() >> 30} GiB of memory are free, and 10 are needed")
    sys.exit(77)

for n in (46_340, 46_341):
    tiles = solve("mcm", "--random", str(n), "--seed", "3", "--max-dim", "9", "--algorithm", "tiles", "--backend", "cpu")
    quick = solve("mcm", "--random", str(n), "--seed", "3", "--max-dim", "9", "--algorithm", "hu-shing")
    if tiles["value"] != quick["value"]:
        print(f"n = {n}: {tiles['value']} by tiles, {quick['value']} by Hu-Shing")
        sys.exit(1)
    print(f"n = {n}: {tiles['value']}, {tiles['seconds']:.0f} s as {tiles['type']}")
for n in (65_535, 65_536):
    quick = solve("mcm", "--random", str(n), "--seed", "3", "--algorithm", "hu-shing")
    print(f"n = {n}: {quick['value']}")

# Fewest coins of 11 and 1,000,003 for an amount beyond 2^31: by hand, as many of the large coin as leave a multiple of 11.
amount = 2**31 + 5
large = max(c for c in range(amount // 1_000_003 + 1) if (amount - 1_000_003 * c) % 11 == 0)
expected = large + (amount - 1_000_003 * large) // 11
answer = solve("solve", "coins", "--input", "coin=11,1000003", "--param", f"amount={amount}")
if answer["value"] != expected:
    print(f"coins for {amount}: {answer['value']}, not {expected}")
    sys.exit(1)
print(f"coins for {amount}: {expected}, {answer['seconds']:.0f} s as {answer['type']}")
