"""pipedp sdp: operators, overflow policies, methods, output."""
import functools
import math
import operator
import random

from support import DATA, CommandTest, main, read_npy, write_npy

METHODS = ["auto", "sequential", "blocks", "naive", "tournament", "pipeline", "pipeline2"]
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

    def automatic(self):
        """Small problems are interpreted where their kernel is not built in: with sanitizers."""
        return "sequential" if "sanitizers: none" not in self.run_json("info")["build"] else "blocks"

    def test_example(self):
        result = self.sdp(12, [5, 3, 1], [9, 4, 7, 2, 8], "--op", "min", "--print", "0..11")
        self.assertEqual(result["cells"], [9, 4, 7, 2, 8, 7, 2, 2, 2, 2, 2, 2])
        self.assertEqual([result[k] for k in ("problem", "n", "k", "op", "value")], ["sdp", 12, 3, "min", 2])
        self.assertEqual((result["algorithm"], result["backend"]), (self.automatic(), "cpu"))

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

    def test_methods_that_skip_terms(self):
        """The table of the plain loop, for the operators that each is for; others are refused with a reason."""
        chance = random.Random(12)
        for op, combine in OPERATORS.items():
            for method, operators in (("settle", ["min", "max"]), ("runs", ["min", "max", "and", "or", "gcd"])):
                offsets = sorted(chance.sample(range(1, 90), 40) + [90], reverse=True)
                presets = [chance.randint(-50, 50) for _ in range(90)]
                line = ["--op", op, "--algorithm", method]
                if op in operators:
                    result = self.sdp(400, offsets, presets, *line, "--table", "t.npy")
                    expected = solve(400, offsets, presets, combine)
                    self.assertEqual(read_npy(self.folder / "t.npy"), ((400,), expected), (op, method))
                    self.assertEqual((result["value"], result["algorithm"]), (expected[-1], method))
                else:
                    self.refuse("sdp", "--offsets", comma(offsets), "--init", comma(presets), "-n", 400, *line,
                                names=[f"method '{method}' cannot solve this problem: its operator is n"])
        self.refuse("sdp", "--op", "min", "--offsets", "2,1", "--init", "1,1", "-n", 9, "--weights", "1,2",
                    "--algorithm", "settle", names=["'settle'", "one weight for all offsets"])

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

    def test_series(self):
        for more in [["--mod", 998244353], ["--mod", 10**9 + 7], ["--overflow", "wrap"], []]:
            arguments = ["sdp", "--op", "add", "--random", 3000, "--k", 3 if not more else 900, "--seed", 4, *more]
            expected = self.run_json(*arguments, "--table", "blocks.npy")
            self.assertEqual(self.run_json(*arguments, "--table", "t.npy", "-A", "series")["value"], expected["value"])
            self.assertEqual(read_npy(self.folder / "t.npy"), read_npy(self.folder / "blocks.npy"))
        self.refuse("sdp", "--op", "min", "--random", 99, "-A", "series", names=["'series'", "it is for sums"])

    def test_explain(self):
        line = ["sdp", "--op", "min", "--random", 200000, "-k", 50000, "--backend", "cpu", "--threads", 1]
        stdout, _ = self.run_program(*line, "--explain")
        self.assertRegex(stdout, r"\nmethod    settle on the cpu, i32, 1 thread, ")
        self.assertRegex(stdout, r"\nchoice    settle is predicted to be the fastest of 5 ways, by rates that are ")
        self.assertRegex(stdout, r"\ntype      i32: on the way to a value nothing is beyond \d+, which is proven")
        self.assertRegex(stdout, r"\nmemory    \d+ bytes are needed, and \d+ are free\n")
        self.assertRegex(stdout, r"\ndevice    cpu is asked for\n")
        self.assertRegex(stdout, r"\nways      \* settle      cpu  +[0-9.e+]+ [um]?s +[0-9.e+]+ steps, [0-9.]+ MiB\n")
        self.assertRegex(stdout, r"\n            series      cpu  +no:  it is for sums, by the operator add\n")
        for more in [["--dry-run"], []]:
            plan = self.run_json(*line, "--explain", *more)["plan"]
            self.assertEqual(list(plan), ["choice", "type", "size", "memory", "device", "candidates"])
            self.assertEqual([(c["algorithm"], c["chosen"]) for c in plan["candidates"] if c["chosen"]],
                             [("settle", True)])
            times = [c["seconds"] for c in plan["candidates"] if not c["refused"]]
            self.assertEqual(times, sorted(times))
            self.assertEqual({c["algorithm"] for c in plan["candidates"] if c["refused"]}, {"series", "bostan-mori"})
            self.assertTrue(all(c["reason"] for c in plan["candidates"] if c["refused"]))
        self.assertNotIn("plan", self.run_json(*line))
        plan = self.run_json(*line, "--explain", "-A", "blocks")["plan"]
        self.assertEqual(plan["choice"], "blocks is asked for")
        plan = self.run_json("sdp", "--offsets", "2,1", "--init", "4,5", "-n", 9, "--explain")["plan"]
        self.assertEqual(plan["choice"], f"{self.automatic()}: there are so few terms that a choice would not pay")
        stdout, _ = self.run_program("mcm", 2, 3, 4, "--dry-run", "--explain")
        self.assertRegex(stdout, r" tiles +cpu +[0-9.e+-]+ us +[0-9.e+]+ steps, [0-9.]+ (bytes|KiB)\n")
        stdout, _ = self.run_program("mcm", "--random", 100000, "--dry-run", "--explain", "--memory", "1T")
        self.assertRegex(stdout, r" tiles +cpu +[0-9.e+-]+ m?s +[0-9.e+]+ steps, (.*, )?[0-9.]+ GiB\n")
        plan = self.run_json("mcm", 2, 3, 4, "--explain")["plan"]
        self.assertEqual([c["algorithm"] for c in plan["candidates"] if c["chosen"]], ["hu-shing"])
        plan = self.run_json("sdp", "--random", 200000, "-k", 50000, "--dry-run", "--explain",
                             environment={"PIPEDP_CUDA_DRIVER": "none.so"})["plan"]
        self.assertEqual([(c["refused"], c["reason"]) for c in plan["candidates"] if c["backend"] == "cuda"],
                         [(True, "there is no NVIDIA driver here")])
        self.assertEqual(plan["device"], "cpu: no GPU can be used here")

    def test_one_cell(self):
        fibonacci = ["sdp", "--op", "add", "--offsets", "2,1", "--init", "0,1"]
        result = self.run_json(*fibonacci, "--mod", 10**9 + 7, "--at", 10**18, "-A", "bostan-mori")
        self.assertEqual([result[k] for k in ("n", "at", "value", "type")], [10**18 + 1, 10**18, 209783453, "mod"])
        for method in METHODS + ["series", "window"]:  # also where the rest would overflow
            self.assertEqual(self.run_json(*fibonacci, "-n", 1000, "--at", 90, "-A", method)["value"], 2880067194370816120)
        stdout, _ = self.run_program(*fibonacci, "--at", 10)
        self.assertRegex(stdout, r"^cells     11, 2 offsets, add\ncell      10\nvalue     55\nmethod    ")
        self.assertEqual(self.run_json(*fibonacci, "-n", 50, "--at", 50)["algorithm"], "bostan-mori")
        result = self.run_json(*fibonacci, "--mod", 10**9 + 7, "--at", 10**18, "--verify")
        self.assertEqual((result["algorithm"], result["certificate"]), ("bostan-mori", "certified"))
        self.refuse(*fibonacci, "-n", 50, "--at", 50, "--op", "min", names=["cell 50 is beyond the last one, 49", "bostan-mori"])
        self.refuse(*fibonacci, "--at", 90, "-A", "bostan-mori", names=["not proven to fit"])
        # The last cells are a courtesy, which does not keep the value from whoever can find it at once.
        far = ["solve", "compositions_mod", "--input", "part=1,2,5", "--param", f"total={10**18}"]
        self.assertIn("value     528495438\n", self.run_program(*far)[0])
        self.assertEqual(self.run_json(*far)["value"], 528495438)
        self.refuse(*fibonacci, "--at", 9, "--print", "3..4", names=["--at and --print exclude each other"])
        self.refuse(*fibonacci, "--at", 9, "--table", "t.npy", names=["--at and --table exclude each other"])
        self.refuse(*fibonacci, "--at", 2**63, names=["--at", 2**63])
        self.refuse(*fibonacci, "--at", -1, names=["--at", "-1"])
        self.refuse(*fibonacci, "--mod", 7, "-n", 9, "--print", "3..4", "-A", "bostan-mori", names=["has no table"])
        self.refuse("mcm", 1, 2, 3, "--at", 1, names=["--at"])

    def test_window(self):
        arguments = ["sdp", "--op", "max", "--offsets", "7,2", "--init", "1,2,3,4,5,6,7", "--weights", "9,-2"]
        cells = self.run_json(*arguments, "-n", 200000, "--print", "199000..199999")["cells"]
        for first in [199000, 199990, 199999]:
            result = self.run_json(*arguments, "-n", 200000, "--print", f"{first}..199999", "-A", "window")
            self.assertEqual((result["cells"], result["algorithm"]), (cells[first - 200000:], "window"))
        result = self.run_json(*arguments, "-n", 10**7, "-A", "window", "--memory", "2M")
        self.assertEqual(result["value"], self.run_json(*arguments, "-n", 10**7)["value"])
        checked = self.run_json(*arguments, "-n", 10**7, "--memory", "2M", "--verify")  # for want of another
        self.assertEqual([checked[k] for k in ("value", "algorithm", "certificate")], [result["value"], "window", "witness"])
        stdout, _ = self.run_program(*arguments, "-n", 200000, "-A", "window")
        self.assertIn("last 8   " + "".join(f" {cell}" for cell in cells[-8:]), stdout)
        self.refuse(*arguments, "-n", 99, "-A", "window", "--table", "t.npy", names=["method 'window' has no table"])
        coins = ["solve", "coins", "--input", "coin=5,2", "--param", "amount=39", "-A", "window"]
        stdout, stderr = self.run_program(*coins)
        self.assertIn("value     9\n", stdout)
        self.assertIn("note: no decisions", stderr)
        self.refuse(*coins, "--report", "r", names=["--report: method 'window' has no decisions"])

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

    def weighted(self, n, offsets, presets, op, weights=None, x=None):
        """As the recurrence is written."""
        term = (lambda w, s: w * s) if op == "add" else (lambda w, s: w + s)
        table = list(presets)
        for i in range(offsets[0], n):
            terms = [table[i - a] if weights is None else term(w, table[i - a])
                     for a, w in zip(offsets, weights or offsets)]
            table.append(functools.reduce(OPERATORS[op], terms + ([x[i]] if x else [])))
        return table

    def test_weights_and_source(self):
        chance = random.Random(12)
        for op in ["min", "max", "add", "xor", "gcd"]:
            for has_weights, has_x in [(True, False), (False, True), (True, True)]:
                if has_weights and op in ("xor", "gcd"):
                    continue
                offsets = [7, 5, 2]
                presets = [chance.randint(0, 9) for _ in range(7)]
                weights = [chance.randint(-4, 4) for _ in range(3)] if has_weights else None
                x = [chance.randint(-9, 9) for _ in range(20)] if has_x else None
                more = (["--weights", comma(weights)] if has_weights else []) + (["--x", comma(x)] if has_x else [])
                for method in ["auto", "sequential"]:
                    result = self.sdp(20, offsets, presets, "--op", op, *more, "--algorithm", method,
                                      "--print", "0..19")
                    expected = self.weighted(20, offsets, presets, op, weights, x)
                    self.assertEqual(result["cells"], expected, (op, more, method))

    def test_weights_and_source_of_a_random_problem(self):
        n, weights, x = 60, [3, -2, 5], [i * i % 17 - 8 for i in range(60)]
        drawn = ["sdp", "--random", n, "--k", 3, "--seed", 4]
        presets, offsets = self.drawn(n, 3, 4)
        for op in ["min", "max", "add"]:
            for more in [{"weights": weights}, {"x": x}, {"weights": weights, "x": x}]:
                line = [part for name, values in more.items() for part in (f"--{name}", comma(values))]
                expected = self.weighted(n, offsets, presets, op, **more)
                result = self.run_json(*drawn, "--op", op, *line, "--print", f"0..{n - 1}")
                self.assertEqual(result["cells"], expected, (op, line))

    def drawn(self, n, k, seed):
        """As docs/recurrences.md has it."""
        mask = 2**64 - 1

        def draw(low, high):
            nonlocal seed
            size = high - low + 1
            while True:
                seed = seed + 0x9E3779B97F4A7C15 & mask
                z = seed
                z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
                z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
                z ^= z >> 31
                if (z * size & mask) >= 2**64 % size:
                    return low + (z * size >> 64)

        offsets = []
        for v in range(max(k, n // 2), 0, -1):
            if len(offsets) < k and draw(1, v) <= k - len(offsets):
                offsets.append(v)
        return [draw(0, 999999) for _ in range(offsets[0])], offsets

    def test_weights_and_source_with_an_overflow_policy(self):
        n, offsets, presets, weights = 90, [4, 3, 1], [5, -1, 2, 0], [-3, 7, 2]
        x = [i % 5 - 2 for i in range(n)]
        for more in [{"weights": weights}, {"x": x}, {"weights": weights, "x": x}]:
            line = [part for name, values in more.items() for part in (f"--{name}", comma(values))]
            exact = self.weighted(n, offsets, presets, "add", **more)
            for modulus in [2, 1000003, 2**63 - 1]:
                result = self.sdp(n, offsets, presets, "--op", "add", *line, "--mod", modulus, "--print", f"0..{n - 1}")
                self.assertEqual(result["cells"], [value % modulus for value in exact], (line, modulus))
            wrapped = [(value + 2**63) % 2**64 - 2**63 for value in exact]
            result = self.sdp(n, offsets, presets, "--op", "add", *line, "--overflow", "wrap", "--print", f"0..{n - 1}")
            self.assertEqual(result["cells"], wrapped, line)

    def test_weights_of_the_example_data(self):
        data = ["sdp", "--offsets", f"@{DATA}/sdp_offsets.txt", "--init", f"@{DATA}/sdp_presets.txt", "-n", 100]
        for op, plain, weighted in [("min", 0, 67), ("max", 11, 102)]:
            self.assertEqual(self.run_json(*data, "--op", op)["value"], plain)
            result = self.run_json(*data, "--op", op, "--weights", f"@{DATA}/sdp_weights.txt")
            self.assertEqual(result["value"], weighted)

    def test_weights_that_do_not_fit(self):
        good = ["sdp", "--offsets", "3,1", "--init", "1,2,3", "-n", 5]
        for op in ["mul", "and", "or", "xor", "gcd"]:
            self.refuse(*good, "--op", op, "--weights", "1,2",
                        names=[f"--weights: they are added under min and max and multiplied under add; there are none "
                               f"under {op}\n"])
        self.refuse(*good, "--weights", "1", names=["--weights: there are 1, and must be 2, as many as offsets\n"])
        self.refuse(*good, "--x", "1,2", names=["--x: there are 2 values, and must be 5, as many as cells\n"])
        self.refuse(*good, "--weights", "1,y", names=["--weights: item 2 (line 1, column 3): 'y' is not"])
        self.refuse("sdp", "--random", 9, "--weights", "1", names=["--weights: there are 1, and must be 4, as many as"])
        self.refuse("sdp", "--random", 9, "--x", "1", names=["--x: there are 1 values, and must be 9, as many as cells"])
        self.refuse(*good, "--weights", "@-", "--x", "@-", stdin="1",
                    names=["--weights and --x both want standard input"])
        self.refuse(*good, "--weights", "1,2", "--algorithm", "pipeline", names=["'pipeline'", "paper's S-DP"])
        self.refuse("trace", *good, "--weights", "1,2", names=["--weights"])

    def test_types(self):
        for kind in ["i32", "i64"]:
            result = self.sdp(12, [5, 3, 1], [9, 4, 7, 2, 8], "--type", kind, "--algorithm", "blocks")
            self.assertEqual((result["type"], result["value"]), (kind, 2))
        self.refuse("sdp", "--offsets", "2,1", "--init", "1,3000000000", "-n", 9, "--type", "i32",
                    names=["type i32 holds numbers up to"])

    def test_all_cells_preset(self):
        for method in METHODS:
            self.assertEqual(self.sdp(3, [3, 1], [7, 8, 9], "--algorithm", method)["value"], 9)


if __name__ == "__main__":
    main()
