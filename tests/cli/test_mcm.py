"""pipedp mcm: results, files, sources of the dimensions."""
import random

from support import CommandTest, main, read_npy, write_npy

CLRS = [30, 35, 15, 5, 10, 20, 25]
ORDER = "((A1(A2A3))((A4A5)A6))"
METHODS = ["auto", "sequential", "tiles", "tournament", "pipeline", "wavefront"]
ON_CPU = {"auto": "hu-shing", "sequential": "sequential", "tiles": "tiles", "hu-shing": "hu-shing"}


def solve(p):
    """The textbook's table in vertex form, and the smallest best splits."""
    n = len(p) - 1
    table = [[0] * (n + 1) for _ in range(n + 1)]
    splits = [[0] * (n + 1) for _ in range(n + 1)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            best = [(table[i][k] + table[k][j] + p[i] * p[k] * p[j], k) for k in range(i + 1, j)]
            table[i][j], splits[i][j] = min(best)
    return table, splits


class Mcm(CommandTest):
    def test_textbook_example_by_every_method(self):
        for method in METHODS:
            result = self.run_json("mcm", *CLRS, "--algorithm", method)
            self.assertEqual((result["value"], result["order"], result["n"]), (15125, ORDER, 6))
            self.assertEqual(result["problem"], "mcm")
            self.assertEqual(result["backend"], "cpu" if method in ON_CPU else "machine")
            self.assertEqual(result["algorithm"], ON_CPU.get(method, method))
            self.assertEqual((result["feasible"], result["threads"]), (True, 1))
            self.assertTrue(result["guaranteed"])
            self.assertGreaterEqual(result["seconds"], 0)

    def test_printed_pipeline_says_it_is_not_guaranteed(self):
        result = self.run_json("mcm", *CLRS, "--algorithm", "pipeline-printed")
        self.assertIs(result["guaranteed"], False)
        stdout, _ = self.run_program("mcm", *CLRS, "--algorithm", "pipeline-printed")
        self.assertIn("may be wrong", stdout)

    def test_text_output(self):
        stdout, stderr = self.run_program("mcm", *CLRS)
        self.assertIn("15125", stdout)
        self.assertIn(ORDER, stdout)
        self.assertEqual(stderr, "")

    def test_one_and_two_matrices(self):
        self.assertEqual(self.run_json("mcm", 4, 7)["order"], "A1")
        result = self.run_json("mcm", 4, 7, 2)
        self.assertEqual((result["value"], result["order"]), (56, "(A1A2)"))

    def test_sources_of_the_dimensions(self):
        (self.folder / "blanks").write_text("30 35\n15\t5 10\r\n20 25\n")
        (self.folder / "commas").write_text("30, 35,15 ,5,10\n,20,25")
        write_npy(self.folder / "dims.npy", CLRS)
        for source in [["30,35,15,5,10,20,25"], ["30,", "35", "15,5,10", "20", "25"], ["@blanks"], ["@commas"],
                       ["@dims.npy"], ["--file", "blanks"], ["--file=dims.npy"]]:
            self.assertEqual(self.run_json("mcm", *source)["value"], 15125, source)
        stdout, _ = self.run_program("mcm", "@-", stdin="30 35 15 5 10 20 25\n")
        self.assertIn("15125", stdout)
        stdout, _ = self.run_program("mcm", "@-", stdin=(self.folder / "dims.npy").read_bytes(), text=False)
        self.assertIn(b"15125", stdout)

    def test_random_chain_is_fixed_by_its_seed(self):
        first = self.run_json("mcm", "--random", 50, "--seed", 7)
        self.assertEqual(self.run_json("mcm", "--random", 50, "--seed", 7)["value"], first["value"])
        self.assertNotEqual(self.run_json("mcm", "--random", 50, "--seed", 8)["value"], first["value"])
        # The documented generator: SplitMix64, seed 0 begins 16294208416658607535.
        value = self.run_json("mcm", "--random", 2, "--max-dim", 1000, "--seed", 0)["value"]
        draws = [16294208416658607535, 7960286522194355700, 487617019471545679]
        dims = [1 + (draw * 1000 >> 64) for draw in draws]
        self.assertEqual(value, dims[0] * dims[1] * dims[2])

    def test_files_hold_table_splits_and_order(self):
        chance = random.Random(5)
        for n in [1, 2, 3, 7, 20]:
            p = [chance.randint(1, 5) for _ in range(n + 1)]
            table, splits = solve(p)
            for method in METHODS:
                result = self.run_json("mcm", *p, "--algorithm", method, "--table", "t.npy", "--splits", "s.npy",
                                       "--order", "o.txt")
                self.assertEqual(read_npy(self.folder / "t.npy"), ((n + 1, n + 1), sum(table, [])), (p, method))
                self.assertEqual(read_npy(self.folder / "s.npy"), ((n + 1, n + 1), sum(splits, [])), (p, method))
                self.assertEqual((self.folder / "o.txt").read_text(), result["order"] + "\n")
                self.assertEqual(result["value"], table[0][n])

    def test_long_order_is_whole_in_json_file_and_pipe(self):
        result = self.run_json("mcm", "--random", 300, "--order", "o.txt")
        self.assertEqual(result["order"].count("A"), 300)
        self.assertEqual((self.folder / "o.txt").read_text(), result["order"] + "\n")
        stdout, _ = self.run_program("mcm", "--random", 300)
        self.assertIn(result["order"], stdout)

    def test_auto_has_a_table_only_where_one_is_asked_for(self):
        for more, method in [([], "hu-shing"), (["--table", "t.npy"], "tiles"), (["--splits", "s.npy"], "tiles"),
                             (["--type", "i32"], "tiles"), (["--type", "auto"], "hu-shing"),
                             (["--order", "o"], "hu-shing")]:
            self.assertEqual(self.run_json("mcm", *CLRS, *more)["algorithm"], method, more)
        self.refuse("mcm", *CLRS, "--algorithm", "hu-shing", "--table", "t2.npy",
                    names=["--table: method 'hu-shing' has no table"])

    def test_types_and_threads(self):
        for kind in ["i32", "i64", "f32", "f64"]:
            result = self.run_json("mcm", *CLRS, "--type", kind, "--algorithm", "tiles", "--threads", 2, "--table",
                                   "t.npy")
            self.assertEqual((result["type"], result["value"], result["order"]), (kind, 15125, ORDER))
            self.assertEqual(read_npy(self.folder / "t.npy")[1][6], 15125)

    def test_dry_run_solves_nothing(self):
        result = self.run_json("mcm", "--random", 3000, "--dry-run", "--table", "t.npy", "--threads", 2)
        self.assertEqual((result["algorithm"], result["backend"], result["threads"]), ("tiles", "cpu", 2))
        self.assertGreater(result["bytes"], 4 * 3000**2 // 2)
        self.assertNotIn("value", result)
        stdout, _ = self.run_program("mcm", *CLRS, "--dry-run")
        self.assertRegex(stdout, r"^matrices  6\nmethod    hu-shing on the cpu\ntype      i64\nthreads   1\n"
                                 r"bytes     \d+\n$")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.run_program("mcm", *CLRS, "--dry-run", "--output", "plan.txt")
        self.assertIn("hu-shing", (self.folder / "plan.txt").read_text())

    def test_output_goes_to_a_file(self):
        stdout, _ = self.run_program("mcm", *CLRS, "--output", "result")
        self.assertEqual(stdout, "")
        self.assertIn(f"cost      15125\norder     {ORDER}\n", (self.folder / "result").read_text())

    def test_a_million_matrices(self):
        result = self.run_json("mcm", "--random", 10**6, "--seed", 3)
        self.assertEqual((result["algorithm"], result["order"].count("A")), ("hu-shing", 10**6))
        self.assertEqual(result["order"].count("("), 10**6 - 1)

    def test_largest_cost_that_fits(self):
        # One product of 2097151^3 < 2^63 is fine; where it is not sure beforehand, the cells are checked.
        self.assertEqual(self.run_json("mcm", 2097151, 2097151, 2097151)["value"], 2097151**3)
        p = ([10**6] * 4 + [1]) * 3
        result = self.run_json("mcm", *p)
        self.assertEqual((result["type"], result["value"]), ("checked", solve(p)[0][0][-1]))


if __name__ == "__main__":
    main()
