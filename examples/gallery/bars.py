#!/usr/bin/env python3
"""A bar of 6 m is sawn into the lengths of a price list (bar_prices.txt; a list of one's own may be given) so that they
sell for the most. The saw turns 3 mm into dust at each cut; what is left over is scrap."""
import functools
import pathlib

from gallery import argument, check, items, read_text, solve, stop, understand

BAR, SAW = 6000, 3
source = argument(pathlib.Path(__file__).with_name("bar_prices.txt"))
prices = {}
for number, line in enumerate(read_text(source).splitlines(), 1):
    words = line.split()
    if words and words[0][0] != "#":
        if len(words) != 2 or not all(word.isdecimal() and int(word) > 0 for word in words):
            stop(2, f"'{source}', line {number}: '{line[:60]}' is not a length in mm and a price in cents")
        prices[int(words[0])] = int(words[1])
if not prices:
    stop(2, f"'{source}' has no length and no price")


@functools.cache
def most_by_trying(used, rest):
    """All ways to choose pieces, without the first `used` lengths of the list; what a rest brings is tried once."""
    if used == len(prices):
        return 0
    length, price = list(prices.items())[used]
    return max(count * price + most_by_trying(used + 1, rest - count * (length + SAW))
               for count in range(rest // (length + SAW) + 1))


def dearest_first():
    """The habit: always the piece that brings the most for its length."""
    rest, pieces = BAR + SAW, []
    for length in sorted(prices, key=lambda length: prices[length] / (length + SAW), reverse=True):
        pieces += [length] * (rest // (length + SAW))
        rest %= length + SAW
    return pieces


def show(name, pieces):
    scrap = max(BAR - sum(pieces) - SAW * len(pieces), 0)
    print(f"{name}: {sum(prices[length] for length in pieces) / 100:.2f}, scrap {scrap} mm")
    for length in sorted(set(pieces), reverse=True):
        print(f"  {pieces.count(length)} x {length} mm at {prices[length] / 100:.2f}")
    print(" ", "|".join("=" * (length // 60) for length in pieces) + "|" + "." * (scrap // 60))


# Each piece takes its length and a cut; the last cut may fall off the bar's end.
result = solve("knapsack", {"weight": [length + SAW for length in prices], "value": list(prices.values())},
               "--param", f"capacity={BAR + SAW}")
pieces = sorted((taken - SAW for taken in understand(items, result["report"])), reverse=True)
check(set(pieces) <= set(prices), "all pieces are of the list")
show("best", pieces)
show("dearest length first", dearest_first())
check(sum(pieces) + SAW * (len(pieces) - 1) <= BAR, f"{len(pieces)} pieces and the cuts between them fit on the bar")
check(result["value"] == sum(prices[length] for length in pieces), f"they sell for {result['value'] / 100:.2f}")
most = most_by_trying(0, BAR + SAW)
check(result["value"] == most, "no other choice of pieces brings more, all tried")
