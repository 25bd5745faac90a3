#!/usr/bin/env python3
"""Change from a till whose trays of 5 and 10 cents are empty: the fewest coins, beside the habit of giving the largest
coin first. The amount in cents may be given: till.py 199"""
from gallery import check, items, solve, whole_argument

COINS = [1, 2, 20, 50, 100, 200]
amount = whole_argument(365, least=0)


def largest_first(rest):
    taken = []
    for coin in reversed(COINS):
        taken += [coin] * (rest // coin)
        rest %= coin
    return taken


def breadth_first():
    """The fewest coins of every amount: what one coin makes, then two, then three."""
    fewest, made, count = {0: 0}, {0}, 0
    while made:
        count += 1
        made = {less + coin for less in made for coin in COINS if less + coin <= amount} - fewest.keys()
        fewest |= dict.fromkeys(made, count)
    return fewest


result = solve("coins", {"coin": COINS}, "--param", f"amount={amount}", "--print", f"0..{amount}")
coins = sorted(items(result["report"]), reverse=True)
habits = [len(largest_first(a)) for a in range(amount + 1)]
worst = max(range(amount + 1), key=lambda a: habits[a] - result["cells"][a])
print(f"{amount} cents from a till with {' '.join(map(str, COINS))}")
print(f"  fewest         {result['value']}: {' '.join(map(str, coins))}")
print(f"  largest first  {habits[amount]}: {' '.join(map(str, largest_first(amount)))}")
too_many = sum(map(int.__gt__, habits, result["cells"]))
print(f"  largest first gives too many for {too_many} of the amounts up to {amount};",
      f"at {worst} cents {habits[worst]} for {result['cells'][worst]}")
check(sum(coins) == amount and set(coins) <= set(COINS), f"these coins of the till are {amount} cents")
check(result["value"] == len(coins), f"they are {len(coins)} coins")
fewest = breadth_first()
check(result["cells"] == [fewest[a] for a in range(amount + 1)], "breadth-first search finds fewer for no amount")
