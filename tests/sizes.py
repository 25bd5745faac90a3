#!/usr/bin/env python3
"""The sizes the step-exact machine is made for: each under a minute on one core, with memory of the order of the
table, and the counts that the formulas say."""
import json
import os
import subprocess
import sys

program = sys.argv[1]
MINUTE = 60


def run(name, table_bytes, *arguments):
    """Runs a recorded summary on one core; returns its counts."""
    process = subprocess.Popen([program, "trace", *arguments, "--summary", "--json"], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime  # of the core, so that a busy machine does not matter
    memory = usage.ru_maxrss * 1024
    print(f"{name}: {seconds:.1f} s, {memory / 1e6:.0f} MB, {memory / table_bytes:.1f} times the table")
    assert status == 0, status
    assert seconds < MINUTE, "over a minute"
    assert memory < 8 * table_bytes + 10e6, "more than the order of the table"
    return json.loads(output)


n = 2000
counts = run("matrix chain, n = 2000", 8 * n * (n + 1) // 2, "mcm", "--random", str(n))
assert counts["steps"] == n * (n - 1) // 2 + n - 2 and counts["operations"] == (n**3 - n) // 6
assert counts["hazards"] == 0 and sum(counts["conflicts"]) == 0

n, k = 2**17, 2**10
counts = run("S-DP, n = 2^17, k = 2^10", 8 * n, "sdp", "--random", str(n), "--k", str(k))
assert counts["operations"] == (counts["steps"] - k + 1) * k  # n - a1 cells of k terms
assert counts["hazards"] == 0 and counts["threads"] == k
