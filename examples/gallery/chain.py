#!/usr/bin/env python3
"""A thousand matrices on a device where launches and moved bytes count, not multiplications: the order is found by a
recurrence of one's own (launch_chain.dp), and compared with the order of the fewest multiplications. The dimensions are
drawn from a seed, which may be given: chain.py 7"""
import itertools
import pathlib
import random
import re

from gallery import Lanes, check, solve, understand, whole_argument

N, LAUNCH, CHIP, BYTES = 1000, 5_000_000, 262_144, 4  # as in launch_chain.dp
seed = whole_argument(1)
draw = random.Random(seed).random
p = [int(16 * 2 ** (5 * draw())) for _ in range(N + 1)]
numbers = [rows * columns for rows, columns in zip(p, p[1:])]
before = list(itertools.accumulate(numbers, initial=0))


def once(i, j):
    """The bytes of matrices i+1 .. j and of their product."""
    return BYTES * (before[j] - before[i] + p[i] * p[j])


def apart(i, k, j):
    return BYTES * (p[i] * p[k] + p[k] * p[j] + p[i] * p[j])


def follow(order):
    """(time, launches) of an order like ((A1A2)A3); what fits on the chip together, and is faster so, is one launch."""
    factors = []
    for token in re.findall(r"A\d+|\)", order):
        if token == ")":
            (k, j, time_right, launches_right), (i, _, time, launches) = factors.pop(), factors.pop()
            cost = time + time_right + LAUNCH + apart(i, k, j), launches + launches_right + 1
            factors.append((i, j, *(min(cost, (LAUNCH + once(i, j), 1)) if once(i, j) <= CHIP else cost)))
        else:
            factors.append((int(token[1:]) - 1, int(token[1:]), 0, 0))
    return factors[0][2:]


def read_plan(report):
    """The launches of a report: (i, j, bytes moved, whether matrices i+1 .. j stay on the chip)."""
    splits = {(int(i), int(j)): int(k) for i, k, j in re.findall(r"triangle (\d+) (\d+) (\d+)", report)}
    groups = {(int(i), int(j)) for i, j in re.findall(r"option 0 of (\d+)\.\.(\d+)", report)}
    launches, todo = [], [(0, N)]
    while todo:
        i, j = todo.pop()
        if (i, j) in groups:
            launches.append((i, j, once(i, j), True))
        elif j > i + 1:
            k = splits[i, j]
            launches.append((i, j, apart(i, k, j), False))
            todo += [(i, k), (k, j)]
    return launches


def least_time():
    """M[i][j] for one i after the other from the last on; a split k is tried for all j at once."""
    lanes, never = Lanes(5, N), 1 << 38
    after = [0] * N  # after[k] has M[k][j] + BYTES*p[k]*p[j] for j = k+1 .. N
    for i in reversed(range(N)):
        row, cells = lanes.pack([0] + [never] * (N - i - 1)), []  # the best of the splits before k, for j = k .. N
        for k in range(i + 1, N + 1):
            cell, moved = row & lanes.mask, BYTES * p[i] * p[k]
            if k > i + 1:
                cell += LAUNCH + moved
                if once(i, k) <= CHIP:
                    cell = min(cell, LAUNCH + once(i, k))
            cells.append(cell + moved)
            row >>= lanes.bits
            row -= lanes.excess(row, after[k] + cells[-1] * lanes.ones[N - k], N - k) if k < N else 0
        after[i] = lanes.pack(cells)
    return cell


result = solve(pathlib.Path(__file__).with_name("launch_chain.dp"), {"p": p, "w": numbers})
launches = understand(read_plan, result["report"])
orders = {
    "from left to right": follow("(" * (N - 1) + "A1" + "".join(f"A{m})" for m in range(2, N + 1))),
    "fewest multiplications": understand(follow, solve("mcm", {"p": p})["report"]),
    "least time": (result["value"], len(launches)),
}
print(f"{N} matrices of seed {seed}, dimensions {min(p)} to {max(p)}; {LAUNCH / 1e6:g} us a launch, 1 TB/s,",
      f"{CHIP >> 10} KiB on the chip")
for name, (time, count) in orders.items():
    print(f"  {name:22} {time / 1e9:6.3f} ms, {count:3} launches, {(time - count * LAUNCH) / 1e6:6.1f} MB moved")
print("  ten and more at once:", *(f"A{i + 1}..A{j}" for i, j, _, fits in sorted(launches) if fits and j - i >= 10))
check(all(once(i, j) <= CHIP for i, j, _, fits in launches if fits), "what is multiplied at once fits on the chip")
check(sum(LAUNCH + moved for _, _, moved, _ in launches) == result["value"], f"the launches take {result['value']} ps")
check(all(time >= result["value"] for time, _ in orders.values()), "the other orders take longer")
check(result["value"] == least_time(), "the same recurrence, worked out in Python, finds nothing faster")
