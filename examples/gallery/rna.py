#!/usr/bin/env python3
"""An RNA of 2,000 random bases, folded so that as many as possible are paired (A-U, C-G, G-U), without crossings and
with at least three bases in a loop. The seed may be given: rna.py 7"""
import collections
import random

from gallery import Lanes, check, solve, understand, whole_argument

N, LOOP, WIDTH = 2000, 3, 100
seed = whole_argument(1)
draw = random.Random(seed).random
bases = "".join("ACGU"[int(4 * draw())] for _ in range(N))
PAIRS = {"AU", "UA", "CG", "GC", "GU", "UG"}


def pairs_of(brackets):
    open_bases = []
    for place, sign in enumerate(brackets):
        if sign == "(":
            open_bases.append(place)
        elif sign == ")":
            yield open_bases.pop(), place
    if open_bases:
        raise ValueError("a bracket is open")


def most_pairs():
    """M[i][j], the most pairs of bases i .. j-1, for one i after the other from the last on. Base i is free, or paired
    with a base k, which is looked at for all j at once."""
    lanes = Lanes(2, N + 1)
    after = [0] * (N + 2)  # after[k] has M[k][j] for j = k .. N
    inside = []  # M[i+1][j] for j = i+1 .. N
    for i in reversed(range(N)):
        row, cells = after[i + 1], [0, 0]
        for k in range(i + 1, N):
            row >>= lanes.bits  # j = k+1 .. N
            with_k = 1 + inside[k - i - 1]
            if k - i > LOOP and with_k > row & lanes.mask and bases[i] + bases[k] in PAIRS:
                candidate = after[k + 1] + with_k * lanes.ones[N - k]
                row = candidate + lanes.excess(row, candidate, N - k)
            cells.append(row & lanes.mask)
        after[i], inside = lanes.pack(cells), cells
    return cells[-1]


result = solve("nussinov", {"s": bases}, "--param", f"loop={LOOP}")
fold = result["report"]
pairs = understand(lambda brackets: list(pairs_of(brackets)), fold)
kinds = collections.Counter("".join(sorted(bases[i] + bases[j])) for i, j in pairs)
deepest, depth = 0, 0
for sign in fold:
    depth += (sign == "(") - (sign == ")")
    deepest = max(deepest, depth)
hairpins = sum(fold[i + 1:j].strip(".") == "" for i, j in pairs)

print(f"{N} bases of seed {seed}: {result['value']} pairs, {kinds['AU']} A-U, {kinds['CG']} C-G, {kinds['GU']} G-U;",
      f"{hairpins} hairpins, nested {deepest} deep")
for start in range(0, N, WIDTH):
    print(f"{start:5} {bases[start:start + WIDTH]}\n      {fold[start:start + WIDTH]}")
check(len(fold) == N and all(bases[i] + bases[j] in PAIRS and j - i > LOOP for i, j in pairs),
      f"every bracket is an allowed pair with at least {LOOP} bases between")
check(result["value"] == len(pairs), f"there are {len(pairs)} of them")
check(result["value"] == most_pairs(), "the same recurrence, worked out in Python, finds no more")
