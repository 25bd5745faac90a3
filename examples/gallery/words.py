#!/usr/bin/env python3
"""A search tree over the frequent words of a text. Its keys are the words that occur three times or more; the rarer
ones are looked for in vain, each in its gap between two keys. The text is this repository's documents as they are now,
without their code, or what is given: words.py novel.txt"""
import collections
import itertools
import math
import pathlib
import re
import sys

from gallery import ROOT, check, read_text, solve, stop

LEVELS = 4  # that are shown
texts = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
prose = [re.sub(r"```.*?```|`.*?`", " ", read_text(text), flags=re.S) for text in texts]
counts = collections.Counter(word for text in prose for word in re.findall(r"[a-z]{2,}|\ba\b|\bi\b", text.lower()))
keys = sorted(word for word in counts if counts[word] >= 3)
if not keys:
    stop(2, f"no word occurs three times in {', '.join(map(str, texts))}")
hits, misses, total = [counts[word] for word in keys], [0] * (len(keys) + 1), sum(counts.values())
place = 0
for word in sorted(counts):
    if place < len(keys) and word == keys[place]:
        place += 1
    else:
        misses[place] += counts[word]


def walk(root_of):
    """(depth from 0, root, first, last) of each subtree, from the root on, the left before the right."""
    todo = [(0, 0, len(keys) - 1)]
    while todo:
        depth, first, last = todo.pop()
        if first <= last:
            root = root_of(first, last)
            yield depth, root, first, last
            todo += [(depth + 1, root + 1, last), (depth + 1, first, root - 1)]


def comparisons(root_of):
    """Of all look-ups together: a word is compared with the keys from the root down to its own, or to its gap."""
    compared = 0
    for depth, root, first, last in walk(root_of):
        compared += (depth + 1) * (hits[root] + misses[root] * (root == first) + misses[root + 1] * (root == last))
    return compared


def by_weight(first, last):
    """The root that leaves the two sides as even as possible: the rule of thumb."""
    ends = [0]
    for key in range(first, last + 1):
        ends.append(ends[-1] + misses[key] + hits[key])
    ends.append(ends[-1] + misses[last + 1])
    left = {key: ends[key - first] + misses[key] for key in range(first, last + 1)}
    return min(left, key=lambda key: abs(left[key] - (ends[-1] - left[key] - hits[key])))


def knuth():
    """The fewest comparisons by Knuth's O(n^2): a root lies between those of the tree without the last and without the
    first key. Trees are of the keys i .. j-1."""
    n = len(keys)
    before = list(itertools.accumulate(map(sum, zip(hits, misses)), initial=0))
    cost = [[0] * (n + 1) for _ in range(n + 1)]
    root = [[i] * (n + 1) for i in range(n + 1)]
    for length in range(1, n + 1):
        for i in range(n + 1 - length):
            j = i + length
            low, high = (root[i][j - 1], root[i + 1][j]) if length > 1 else (i, i)
            cost[i][j], root[i][j] = min((cost[i][k] + cost[k + 1][j], k) for k in range(low, high + 1))
            cost[i][j] += before[j] - before[i] + misses[j]
    return cost[0][n]


result = solve("obst", {"p": hits, "q": misses})
roots = {(int(first), int(last)): int(root)
         for root, first, last in re.findall(r"key (\d+) of (\d+)\.\.(\d+)", result["report"])}
inside = all(first <= root <= last for (first, last), root in roots.items())
check(inside and len(roots) == len(set(roots.values())) == len(keys),
      f"the tree has each of the {len(keys)} keys once, in order")
best = result["value"] - sum(misses)  # pipedp counts a gap as a level of its own
trees = {
    "the best tree": lambda first, last: roots[first, last],
    "even weights": by_weight,
    "balanced": lambda first, last: (first + last + 1) // 2,
}

print(f"{total} words in {len(texts)} texts: {len(keys)} keys for {sum(hits)} of them; most often",
      ", ".join(f"{word} {count}" for word, count in counts.most_common(5)))
for depth, root, first, last in walk(trees["the best tree"]):
    if depth < LEVELS:
        share = (sum(hits[first:last + 1]) + sum(misses[first:last + 2])) / total
        print(f"  {'    ' * depth}{keys[root]}, {hits[root]} times; {100 * share:.0f} % of look-ups come here")
for name, root_of in trees.items():
    depths = [depth + 1 for depth, *_ in walk(root_of)]
    print(f"  {name:14} {comparisons(root_of) / total:6.3f} comparisons a look-up, {max(depths)} levels")
outcomes = [count / total for count in hits + misses if count]
entropy = -sum(share * math.log(share, 3) for share in outcomes)
print(f"  {'no tree below':14} {entropy:6.3f}, the entropy: a comparison ends in one of three ways")
check(best == comparisons(trees["the best tree"]), f"its look-ups take {best} comparisons, counted one by one")
check(best == knuth(), "Knuth's algorithm, worked out in Python, needs no fewer")
