"""pipedp sdp: operators, overflow policies, methods, output."""
import functools
import math
import operator
import random

from support import CommandTest, main, read_npy, write_npy

METHODS = ["auto", "sequential", "naive", "tournament", "pipeline", "pipeline2"]
OPERATORS = {"min": min, "max": max, "add": operator.add, "mul": operator.mul, "and": operator.and_,
             "or": operator.or_, "xor": operator.xor, "gcd": math.gcd}


def solve(n, offsets, presets, combine):
    table = list(presets)
    for i in range(offsets[0], n):
        table.append(functools.reduce(combine, [table[i - a] for a in offsets]))
    return table


def comma(values):
    return ",".join(map(str, values))


class Sdp(CommandTest):
    def sdp(self, n, offsets, presets, *more):
        return self.run_json("sdp", "--offsets", comma(offsets), "--init", comma(presets), "-n", n, *more)

    def test_example(self):
        result = self.sdp(12, [5, 3, 1], [9, 4, 7, 2, 8], "--op", "min", "--print", "0..11")
        self.assertEqual(result["cells"], [9, 4, 7, 2, 8, 7, 2, 2, 2, 2, 2, 2])
        self.assertEqual([result[k] for k in ("problem", "n", "k", "op", "value")], ["sdp", 12, 3, "min", 2])
        self.assertEqual((result["algorithm"], result["backend"]), ("sequential", "cpu"))

    def test_every_operator_by_every_method(self):
        chance = random.Random(11)
        for op, combine in OPERATORS.items():
            for method in METHODS:
                a1 = chance.randint(1, 12)
                offsets = sorted(chance.sample(range(1, a1), chance.randint(0, a1 - 1)) + [a1], reverse=True)
                presets = [chance.randint(-3, 3) for _ in range(a1)]
                n = a1 + chance.randint(0, 9)
                expected = solve(n, offsets, presets, combine)
                if max(map(abs, expected)) >= 2**63:
                    continue
                result = self.sdp(n, offsets, presets, "--op", op, "--algorithm", method, "--table", "t.npy")
                self.assertEqual(read_npy(self.folder / "t.npy"), ((n,), expected), (op, method, offsets, presets))
                self.assertEqual(result["value"], expected[-1])

    def test_fibonacci_and_its_overflow(self):
        self.assertEqual(self.sdp(92, [2, 1], [1, 1], "--op", "add")["value"], 7540113804746346429)
        for method in METHODS:
            self.refuse("sdp", "--op", "add", "--offsets", "2,1", "--init", "1,1", "-n", 100, "--algorithm", method,
                        "--table", "t.npy", names=["cell 92", "int64"], code=1)

    def test_wrap_and_modulus(self):
        exact = solve(200, [3, 1], [1, 2, 3], operator.add)[-1]
        wrapped = (exact + 2**63) % 2**64 - 2**63
        self.assertEqual(self.sdp(200, [3, 1], [1, 2, 3], "--op", "add", "--overflow", "wrap")["value"], wrapped)
        for modulus in [2, 998244353, 2**63 - 1]:
            for op in ["add", "mul"]:
                expected = solve(60, [3, 1], [5 % modulus, -2 % modulus, 3 % modulus],
                                 lambda a, b: OPERATORS[op](a, b) % modulus)
                result = self.sdp(60, [3, 1], [5, -2, 3], "--op", op, "--mod", modulus, "--print", "0..59")
                self.assertEqual(result["cells"], expected)

    def test_print_is_inclusive(self):
        stdout, _ = self.run_program("sdp", "--op", "add", "--offsets", "2,1", "--init", "1,1", "-n", 9, "--print", "5..7")
        self.assertEqual(stdout, "ST[5] = 8\nST[6] = 13\nST[7] = 21\n")

    def test_lists_from_files(self):
        (self.folder / "offsets").write_text("2\n1\n")
        write_npy(self.folder / "init.npy", [1, 1])
        arguments = ["sdp", "--op", "add", "--offsets", "@offsets", "--init", "@init.npy", "-n", "10"]
        self.assertEqual(self.run_json(*arguments)["value"], 55)
        arguments[6] = "@-"
        self.assertEqual(self.run_json(*arguments, stdin="1 1")["value"], 55)

    def test_negative_values_in_lists(self):
        self.assertEqual(self.sdp(6, [2, 1], [-5, 3], "--op", "min")["value"], -5)

    def test_random_problem_is_fixed_by_its_seed_and_the_same_for_all_methods(self):
        values = {self.run_json("sdp", "--random", 2000, "--k", 60, "--seed", 9, "--op", "add", "--mod", 97,
                                "--algorithm", method)["value"] for method in METHODS}
        self.assertEqual(len(values), 1)

    def test_all_cells_preset(self):
        for method in METHODS:
            self.assertEqual(self.sdp(3, [3, 1], [7, 8, 9], "--algorithm", method)["value"], 9)


if __name__ == "__main__":
    main()
