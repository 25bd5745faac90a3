"""pipedp solve, list and show: every built-in by its one-line command, recurrences of one's own, data in every form."""
import math
import shutil
import struct
import unittest

from support import DATA, CommandTest, main, read_npy, write_npy

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

CYK = "cyk A=0,0,1,2,3 B=1,2,2,3,1 C=2,3,1,3,2 D=1,3,2 letter=aab"  # S -> AB | BC, ...
SUMS = "cyk A=@arithmetic_a B=@arithmetic_b C=@arithmetic_c D=@arithmetic_d letter=@arithmetic_letter"

# Name and data, the value, the report; None where it is not looked at.
BUILTINS = [
    ("mcm p=@chain", 53902848, None),
    ("mcm p=30,35,15,5,10,20,25", 15125, "((A1(A2A3))((A4A5)A6))"),
    ("triangulation x=@polygon_x y=@polygon_y", 8486.350818724532, None),
    ("triangulation x=0,4,4,0 y=0,0,3,3", 24, "triangle 0 1 3\ntriangle 1 2 3"),
    ("triangulation_product v=@polygon_weights", 88670, None),
    ("obst p=@obst_hits q=@obst_misses", 2069563, None),
    ("obst p=15,10,5,10,20 q=5,10,5,5,5,10", 275,
     "key 1 of 0..4\n  key 0 of 0..0\n  key 4 of 2..4\n    key 3 of 2..3\n      key 2 of 2..2"),
    ("merge w=@piles", 7447, None),
    ("nussinov s=@trna loop=3", 28, None),
    ("nussinov s=@rnase_p loop=3", 142, None),
    ("nussinov s=GGGAAAUCC", 3, "(((...)))"),
    ("nussinov s=GGGAAAUCC loop=4", 2, None),
    (f"{CYK} s=baaba", 1, "(A0 (A2 'b') (A3 (A1 'a') (A2 (A3 (A1 'a') (A2 'b')) (A3 'a'))))"),
    (f"{SUMS} s=@arithmetic_word", 1, None),
    ("sdp op=min n=100 a=@sdp_offsets init=@sdp_presets", 0, None),
    ("sdp_added op=max n=100 a=@sdp_offsets init=@sdp_presets w=@sdp_weights", 102, None),
    ("sdp_scaled op=add n=12 a=2,1 init=1,1 w=2,3", 442961, None),
    ("coins coin=@coins amount=388", 8, "1 x 1 + 1 x 2 + 1 x 5 + 1 x 10 + 1 x 20 + 1 x 50 + 1 x 100 + 1 x 200"),
    ("coins coin=50,20 amount=170", 4, "3 x 50 + 1 x 20"),
    ("coins coin=50,20 amount=0", 0, "nothing"),
    ("knapsack weight=@knapsack_sizes value=@knapsack_values capacity=500", 788, None),
    ("rod price=@rod_prices length=10", 30, "1 x 10"),
    ("rod price=@rod_prices length=99", 295, "1 x 3 + 1 x 6 + 9 x 10"),
    ("compositions part=@parts total=50", 43017567302458, None),
    ("compositions_mod part=@parts total=50 P=1000003", 43017567302458 % 1000003, None),
    ("filter x=@filter_step a=@filter_offsets w=@filter_weights", 0.9999997135225922, None),
    ("lfsr tap=@lfsr_taps init=@lfsr_presets n=65536", 1, None),
    ("renewal f=@renewal_intervals time=400", 1 / 6.64, None),
]
PARAMS = {"loop", "op", "n", "amount", "capacity", "length", "total", "P", "time", "start"}

LEAST = """linear least
  input   first[m]
  input   step[c] >= 1
  param   len >= 1
  let     was(v) = v
  size    len
  preset  m : first[i]
  offset  step[j]
  term    was(s)
  combine min
"""
CHANGE = """linear change
  input   piece[k] >= 1
  param   total >= 0
  size    total+1
  preset  1 : 0
  missing skip
  offset  piece[j]
  term    2 + s - 1
  combine min
  report  items piece
"""
CHAIN = """# A chain by other names.
interval chain
  input   d[m+1] >= 1
  size    m+1
  leaf    0
  term    d[j]*d[i]*d[k] + r + l
  combine min
  report  parens
"""
MATRIX = """linear weighted
  type f64
  input w[k,2]
  input a[k] >= 1
  param n >= 1
  param scale = 0.5
  size n
  preset 1 : 1
  missing skip
  offset a[j]
  term w[j,1]*s*scale + w[j,0]
  combine min
"""


def arguments(text):
    """The command line of "mcm p=@chain": words are inputs or parameters, files are of the example data."""
    name, *fields = text.split(" ")
    line = ["solve", name]
    for field in fields:
        key, value = field.split("=", 1)
        line += ["--param" if key in PARAMS else "--input", f"{key}={value.replace('@', f'@{DATA}/')}"
                 + (".txt" if value.startswith("@") else "")]
    return line


class Solve(CommandTest):
    def test_every_builtin(self):
        for text, value, report in BUILTINS:
            result = self.run_json(*arguments(text))
            self.assertEqual(result["problem"], text.split()[0])
            if isinstance(value, float):
                self.assertAlmostEqual(result["value"], value, delta=1e-12 * value, msg=text)
            else:
                self.assertEqual(result["value"], value, text)
            self.assertIs(result["feasible"], True)
            self.assertGreaterEqual(result["seconds"], 0)
            if report is not None:
                self.assertEqual(result["report"], report, text)
        named = {entry["name"] for entry in self.list()}
        self.assertEqual({text.split()[0] for text, _, _ in BUILTINS}, named)

    def list(self):
        return self.run_json("list")

    def test_engine_and_plain_loop_agree(self):
        for text, _, _ in BUILTINS:
            line = arguments(text)
            shape = next(entry["shape"] for entry in self.list() if entry["name"] == line[1])
            tables = []
            for method in ["sequential", "tiles" if shape == "interval" else "blocks"]:
                result = self.run_json(*line, "--algorithm", method, "--table", "t.npy")
                self.assertEqual(result["algorithm"], method)
                tables.append((result.get("report"), read_npy(self.folder / "t.npy")))
            self.assertEqual(tables[0][0], tables[1][0], text)
            self.assertEqual(tables[0][1][0], tables[1][1][0])
            for a, b in zip(tables[0][1][1], tables[1][1][1]):
                self.assertTrue(a == b or math.isclose(a, b, rel_tol=1e-12), text)

    def test_brackets_pair_what_can_pair(self):
        sequence = (DATA / "trna.txt").read_text().strip()
        brackets = self.run_json(*arguments("nussinov s=@trna"))["report"]
        self.assertEqual(len(brackets), len(sequence))
        open_at = []
        pairs = []
        for at, c in enumerate(brackets):
            if c == "(":
                open_at.append(at)
            elif c == ")":
                pairs.append((open_at.pop(), at))
        self.assertEqual((len(pairs), open_at), (28, []))
        for a, b in pairs:
            self.assertGreater(b - a, 3)
            self.assertIn({sequence[a], sequence[b]}, [{"A", "U"}, {"C", "G"}, {"G", "U"}])

    def test_items_add_up(self):
        result = self.run_json(*arguments("knapsack weight=@knapsack_sizes value=@knapsack_values capacity=500"))
        weights = list(map(int, (DATA / "knapsack_sizes.txt").read_text().split(",")))
        values = list(map(int, (DATA / "knapsack_values.txt").read_text().split(",")))
        taken = [tuple(map(int, part.split(" x "))) for part in result["report"].split(" + ")]
        self.assertLessEqual(sum(count * weight for count, weight in taken), 500)
        self.assertEqual(sum(count * values[weights.index(weight)] for count, weight in taken), 788)

    def test_a_long_parse(self):
        word = "+".join(["n"] * 200)
        report = self.run_json(*arguments(f"{SUMS} s={word}"))["report"]
        self.assertEqual("".join(part[0] for part in report.split("'")[1::2]), word)
        self.assertEqual(report.count("("), report.count(")"))

    def test_text_output(self):
        stdout, stderr = self.run_program(*arguments("obst p=1,2,9 q=1,1,1,1"))
        self.assertRegex(stdout, r"^problem   obst, 5 points\nvalue     29\ntree      key 2 of 0..2\n"
                                 r"            key 1 of 0..1\n              key 0 of 0..0\n"
                                 r"method    (tiles on the cpu, i32|knuth on the cpu, i64), 1 thread, \d\.\d{3} s\n$")
        self.assertEqual(stderr, "")
        stdout, _ = self.run_program(*arguments(f"{CYK} s=baaba"))
        self.assertIn("problem   cyk, 6 points\nvalue     {0}\ntree      (A0 (A2 'b')", stdout)

    def test_the_end_of_a_table_without_decisions(self):
        stdout, _ = self.run_program(*arguments("compositions part=1,2 total=11"))
        self.assertIn("\nvalue     144\nlast 8    5 8 13 21 34 55 89 144\nmethod ", stdout)
        stdout, _ = self.run_program(*arguments("filter x=1,0,0 a=1 w=0.3"))
        self.assertIn("\nlast 3    1 0.3 0.09\nmethod ", stdout)
        stdout, _ = self.run_program(*arguments("coins coin=3 amount=4"))
        self.assertNotIn("\nlast", stdout)

    def test_infeasible(self):
        for text, words in [("coins coin=5,10 amount=388", "none: there is no way to reach the last cell"),
                            (f"{CYK} s=bbbb", "none: there is no way to derive the whole")]:
            result = self.run_json(*arguments(text))
            self.assertIsNone(result["value"])
            self.assertIs(result["feasible"], False)
            self.assertNotIn("report", result)
            stdout, _ = self.run_program(*arguments(text), "--report", "r.txt")
            self.assertIn(f"value     {words}\n", stdout)
            self.assertEqual((self.folder / "r.txt").read_text(), "")
        self.run_program(*arguments("coins coin=5,10 amount=7"), "--table", "t.npy")
        self.assertEqual(read_npy(self.folder / "t.npy")[1], [0] + 4 * [2**63 - 1] + [1] + 2 * [2**63 - 1])

    def cells(self, *line, count):
        """The cells of --print, as text and as JSON."""
        line = [*line, "--print", f"0..{count - 1}"]
        stdout, _ = self.run_program(*line)
        return [text.split(" = ")[1] for text in stdout.splitlines()], self.run_json(*line)["cells"]

    def test_infeasible_cells(self):
        """They are no numbers; the last number of a type is one, where no cell can be infeasible."""
        self.assertEqual(self.cells(*arguments("coins coin=2 amount=5"), count=6),
                         (["0", "none", "1", "none", "2", "none"], [0, None, 1, None, 2, None]))
        least, most = -2**63, 2**63 - 1
        text = "linear a\n{}input a[k]\nparam op operator\nparam n\ninput x[n] optional\nsize n\npreset 1 : 7\n" \
               "missing skip\noffset a[j]\nsource x[i]\nterm s\ncombine op\n"
        for kind, value in [("", 7), ("type f64\n", 7.0), ("type i32\n", 7)]:
            (self.folder / "a.dp").write_text(text.format(kind))
            for op in ["min", "max"]:
                line = ["solve", "a.dp", "--input", "a=2", "--param", f"op={op}", "--param", "n=4"]
                self.assertEqual(self.cells(*line, count=4), (["7", "none"] * 2, [value, None] * 2))
                self.assertIn("\nlast 4    7 none 7 none\n", self.run_program(*line)[0])
        (self.folder / "a.dp").write_text(text.format(""))
        for op, last in [("min", most), ("max", least)]:
            line = ["solve", "a.dp", "--input", "a=2", "--param", f"op={op}", "--param", "n=3"]
            self.assertEqual(self.cells(*line, "--input", f"x={last},{last},{last}", count=3),
                             (["7", str(last), "7"], [7, last, 7]))
            line = ["sdp", "--op", op, "--offsets", "1", "--init", last, "-n", 3]
            self.assertEqual(self.cells(*line, count=3), ([str(last)] * 3, [last] * 3))
            self.assertIn(f"\nlast 3    {last} {last} {last}\n", self.run_program(*line)[0])
        line = ["sdp", "--op", "and", "--offsets", "1", "--init", most, "-n", 2]
        self.assertEqual(self.cells(*line, count=2), ([str(most)] * 2, [most] * 2))

    def test_overflow_names_the_cell(self):
        line = arguments("compositions part=1,2 total=99")
        self.refuse(*line, "--table", "t.npy", names=["cell 92", "int64"], code=1)
        self.assertEqual(self.run_json(*arguments("compositions part=1,2 total=91"))["value"], 7540113804746346429)

    def test_what_is_hoisted_where_there_is_no_term(self):
        def is_moved(shape, term):
            text = "interval a\n input p[n]\n size n\n leaf 0\n term l + r + %s\n combine min\n"
            if shape == "linear":
                text = "linear a\n input p[n]\n input o[k]\n size n\n missing skip\n offset o[j]\n term s + %s\n combine min\n"
            (self.folder / "a.dp").write_text(text % term)
            stdout, _ = self.run_program("show", "a.dp", "--emit", "c")
            return "points < 3" in stdout or "< d->first" in stdout

        for term in "p[k-1]", "p[k-1]*2", "p[j-2]*p[k]", "p[i+2]*p[k]", "sum(p, k, j-2)", "n/k", "p[p[k]]", "p[k]/n":
            self.assertTrue(is_moved("interval", term), term)
        for term in "p[k]", "p[k]*p[j]*2", "p[i]*p[j]*p[k]", "p[i]/3", "sum(p, i, k)", "k*j", "max[q<n] p[q]":
            self.assertFalse(is_moved("interval", term), term)
        for term in "p[i-1]*o[j]", "n/i*o[j]", "p[p[i]]*o[j]":
            self.assertTrue(is_moved("linear", term), term)
        for term in "p[i]", "p[i]*o[j]", "i":
            self.assertFalse(is_moved("linear", term), term)

    def test_files_of_a_run(self):
        self.run_program(*arguments("obst p=1,2,9 q=1,1,1,1"), "--table", "t.npy", "--splits", "s.npy", "--report", "r")
        shape, table = read_npy(self.folder / "t.npy")
        self.assertEqual((shape, table[4], table[1]), ((5, 5), 29, 1))
        shape, splits = read_npy(self.folder / "s.npy")
        self.assertEqual((shape, splits[4], splits[3]), ((5, 5), 3, 2))
        self.assertEqual((self.folder / "r").read_text(), "key 2 of 0..2\n  key 1 of 0..1\n    key 0 of 0..0\n")
        stdout, _ = self.run_program(*arguments("rod price=@rod_prices length=10"), "--print", "8..10")
        self.assertEqual(stdout, "ST[8] = 22\nST[9] = 25\nST[10] = 30\n")
        for backend in "cpu", "host":  # a device sends the last cells back, if no table is wanted
            line = *arguments("coins coin=1,2 amount=20"), "--backend", backend, "--print"
            self.assertEqual(self.run_json(*line, "3..7", "--report", "-")["cells"], [2, 2, 3, 3, 4])
            self.assertEqual(self.run_json(*line, "18..20")["cells"], [9, 10, 10])
        result = self.run_json(*arguments("filter x=1,0,0 a=1 w=0.1"), "--print", "0..2", "--table", "t.npy")
        self.assertEqual(result["cells"], [1.0, 0.1, 0.1 * 0.1])
        self.assertEqual(read_npy(self.folder / "t.npy"), ((3,), [1.0, 0.1, 0.1 * 0.1]))

    def test_tables_longer_than_the_parts_they_are_written_in(self):
        self.run_program(*arguments("lfsr tap=1 init=7 n=5000"), "--table", "t.npy", "--print", "4990..4999")
        self.assertEqual(read_npy(self.folder / "t.npy"), ((5000,), [7] * 5000))
        w = [i % 7 for i in range(2100)]
        self.run_program(*arguments("merge w=" + ",".join(map(str, w))), "--table", "t.npy")
        shape, table = read_npy(self.folder / "t.npy")
        self.assertEqual(shape, (2101, 2101))
        rows = [table[i * 2101 : (i + 1) * 2101] for i in range(2101)]
        self.assertEqual([rows[i][i + 2] for i in range(2099)], [w[i] + w[i + 1] for i in range(2099)])
        self.assertFalse(any(any(row[: i + 2]) for i, row in enumerate(rows)))

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_table_of_float32(self):
        line = [*arguments("filter x=1,0,0 a=1 w=0.5"), "--type", "f32", "--algorithm", "blocks", "--table", "t.npy"]
        result = self.run_json(*line)
        self.assertEqual((result["type"], result["value"]), ("f32", 0.25))
        self.assertEqual(read_npy(self.folder / "t.npy"), ((3,), [1.0, 0.5, 0.25]))
        self.assertEqual((self.folder / "t.npy").stat().st_size, 128 + 12)

    def test_floats_have_all_their_digits(self):
        value = self.run_json(*arguments("triangulation x=0,1,1 y=0,0,0.1"))["value"]
        self.assertEqual(value, (math.sqrt(1) + 0.1) + math.sqrt(1 + 0.1 * 0.1))

    def test_dry_run(self):
        result = self.run_json(*arguments("coins coin=1,2 amount=1000000"), "--dry-run", "--table", "t.npy",
                               "--algorithm", "blocks")
        self.assertEqual((result["problem"], result["n"], result["algorithm"]), ("coins", 1000001, "blocks"))
        self.assertGreater(result["bytes"], 4 * 10**6)
        self.assertNotIn("value", result)
        stdout, _ = self.run_program(*arguments("nussinov s=ACGU"), "--dry-run")
        self.assertRegex(stdout, r"^problem   nussinov, 5 points\nmethod    tiles on the cpu\ntype      i32\n"
                                 r"threads   1\nbytes     \d+\n$")
        self.assertEqual(list(self.folder.iterdir()), [])


class OwnFiles(CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "chain.dp").write_text(CHAIN)
        (self.folder / "matrix.dp").write_text(MATRIX)

    def test_a_file_is_a_matrix_chain_whatever_it_is_called(self):
        line = ["solve", "chain.dp", "--input", "d=30,35,15,5,10,20,25"]
        result = self.run_json(*line)
        self.assertEqual((result["problem"], result["value"], result["algorithm"]), ("chain", 15125, "hu-shing"))
        self.assertEqual(result["report"], "((A1(A2A3))((A4A5)A6))")
        (self.folder / "mcm").write_text(CHAIN)  # a file goes before a built-in of the same name
        line[1] = "mcm"
        self.assertEqual(self.run_json(*line)["problem"], "chain")

    def test_methods_go_by_the_form(self):
        """A file that is S-DP or fewest coins under other names, written another way, gets the methods too."""
        (self.folder / "least.dp").write_text(LEAST)
        (self.folder / "change.dp").write_text(CHANGE)
        for line, value in [
            (["least.dp", "--input", "step=3,1,5", "--input", "first=9,4,7,2,8", "--param", "len=12"], 2),
            (["change.dp", "--input", "piece=1,7,9,30", "--param", "total=88"], 6),
        ]:
            expected = self.run_json("solve", *line, "--algorithm", "sequential", "--print", "0..11")
            for method in ("settle", "runs"):
                result = self.run_json("solve", *line, "--algorithm", method, "--print", "0..11")
                self.assertEqual(result["algorithm"], method)
                for key in ("value", "cells", "report"):
                    self.assertEqual(result.get(key), expected.get(key), (line, method, key))
                self.assertEqual(result["value"], value)

    def test_sums_go_by_the_form(self):
        """A sum with fixed weights, written another way, gets the methods for one: the weight on the right, a source in
        the finish clause, constants among the terms."""
        (self.folder / "sum.dp").write_text("""linear sum
  type    mod Q
  param   Q >= 2
  param   len >= 1
  input   step[c] >= 1
  input   share[c]
  let     part(v) = 3 - v*share[j] + v
  size    len
  preset  2 : i + 1
  missing skip
  offset  step[j]
  term    part(s)
  finish  5 + best
  combine add
""")
        line = ["solve", "sum.dp", "--param", "Q=1000003", "--param", "len=700", "--input", "step=3,1,600,1",
                "--input", "share=4,-7,9,1"]
        expected = self.run_json(*line, "--algorithm", "sequential", "--print", "0..699")
        self.assertEqual(self.run_json(*line, "-A", "series", "--print", "0..699")["cells"], expected["cells"])
        for at in [0, 1, 2, 599, 600, 699]:
            self.assertEqual(self.run_json(*line, "-A", "bostan-mori", "--at", at)["value"], expected["cells"][at])
        line[5] = "len=9"  # the recurrence goes on beyond its last cell
        self.assertEqual(self.run_json(*line, "-A", "bostan-mori", "--at", 699)["value"], expected["value"])

    def test_an_operator_without_identity(self):
        (self.folder / "own.dp").write_text("linear own\n param n >= 1\n input a[k] >= 1\n input init[m]\n size n\n"
                                            " preset m : init[i]\n offset a[j]\n term s\n combine (x,y) min(x,y)\n")
        for n in [300, 150000]:
            result = self.run_json("solve", "own.dp", "--param", f"n={n}", "--input", "a=2,1", "--input", "init=5,3", "--explain")
            self.assertEqual(result["value"], 3)

    def test_an_operator_without_identity_and_a_type(self):
        (self.folder / "own.dp").write_text("interval own\n input p[n]\n size n\n leaf 0\n term p[k] + r + l\n combine (x, y) x+y+x*y\n")
        self.assertEqual(self.run_json("solve", "own.dp", "--input", "p=1,2,3,4")["value"], 35)
        self.refuse("solve", "own.dp", "--input", "p=1,2,3,4", "--type", "i64", names=["method 'sequential' computes with"])

    def test_plain_numbers_beyond_64_bits(self):
        """What is made of indices and parameters alone is exact. Kernels have 64 bits for it, and so are not taken."""
        n, p, power = 3000, 10**9 + 7, "i*i*i*i*i*i*i"
        line = " param n >= 1\n input a[k] >= 1\n size n\n preset 1 : 0\n missing skip\n offset a[j]\n"
        chain = "interval g\n input p[n]\n param c\n size n\n leaf p[i]\n"
        cases = [("linear g\n type mod P\n param P = 1000000007\n" + line + f" term s + {power}\n combine add\n",
                  ["--input", "a=1"], sum(i**7 for i in range(n)) % p),
                 ("linear g\n type f64\n" + line + f" term s + ({power} > 0 ? 1 : 5)\n combine min\n", ["--input", "a=1"], n - 1),
                 ("linear g\n type bits\n" + line + f" term s | (({power}) >> 60)\n combine or\n", ["--input", "a=1"], 2097151),
                 ("linear g\n input w[m]\n" + line + f" term s + w[{power}*i % 4]\n combine min\n",
                  ["--input", "a=1", "--input", "w=3,5,7,11"], sum([3, 5, 7, 11][i**8 % 4] for i in range(1, n))),
                 (chain + " term l + r + (mul[q<3] c) / c / c\n combine min\n",
                  ["--param", f"c={2**40}", "--input", "p=1,2,3,4"], 6 + 2 * 2**40)]
        # Residues and sets are computed as such, however large the number would be; an empty fold may be the least there is.
        powers = sum(pow(i, 7, p) for i in range(300000)) % p
        (self.folder / "h.dp").write_text("linear g\n type mod P\n param P = 1000000007\n" + line + f" term s + {power}\n combine add\n")
        self.assertEqual(self.run_json("solve", "h.dp", "--input", "a=1", "--param", "n=300000")["value"], powers)
        (self.folder / "h.dp").write_text("linear g\n type bits\n param c\n" + line + " input w[k]\n term s ^ c*c*c ^ (1 << w[j]) - 1\n combine xor\n")
        bits = (10**18 + 1)**3 % 2**64 ^ 31
        for method in ["blocks", "sequential", "auto"]:
            result = self.run_json("solve", "h.dp", "--input", "a=1", "--input", "w=5", "--param", f"c={10**18 + 1}", "--param", "n=2", "-A", method)
            self.assertEqual(result["value"], bits - 2**64)
        (self.folder / "h.dp").write_text("linear g\n input w[m]\n param c\n" + line + " term s + w[c*c*c % 4]\n combine min\n")
        self.refuse("solve", "h.dp", "--input", "a=1", "--input", "w=3,5,7,11", "--param", f"c={10**18}", "--param", "n=5",
                    names=["a number is not between -2^126 and 2^126 at i = 1"], code=1)
        text = "linear g\n type f64\n param m >= 0\n" + line + " term s + (-(max[q<m] q) > 0 ? 1 : 5)\n combine min\n"
        cases += [(text, ["--input", "a=1", "--param", "m=0"], n - 1),
                  (text.replace(" type f64\n", ""), ["--input", "a=1", "--param", "m=0"], n - 1)]
        for text, data, value in cases:
            (self.folder / "g.dp").write_text(text)
            command = ["solve", "g.dp", *data, *(["--param", f"n={n}"] if text.startswith("linear") else [])]
            for more in [[], ["-A", "sequential"], ["--verify=full"]] + [["-A", "window"]] * text.startswith("linear"):
                self.assertEqual(self.run_json(*command, *more)["value"], value, text)
            engine = "blocks" if text.startswith("linear") else "tiles"
            if "type" in text or "mul" in text or "w[i" in text: # or there are 128 bits
                self.refuse(*command, "-A", engine, names=[f"method '{engine}' cannot solve", "may not fit into the 64 bits of a kernel"])
                self.refuse(*command, "--backend", "host", names=[f"method '{engine}' cannot solve", "of a kernel"])
            else:
                self.assertEqual(self.run_json(*command, "-A", engine)["value"], value)
        (self.folder / "ix.dp").write_text(chain + " term l + r + p[i + c*c]\n combine min\n")
        command = ["solve", "ix.dp", "--input", "p=1,2,3", "--param"]
        self.refuse(*command, f"c={2**32}", names=["of 'p' is outside 0 .. 2"])
        self.refuse(*command, f"c={2**32}", "--type", "i64", names=["'sequential' computes with"])
        self.assertEqual(self.run_json(*command, "c=0", "-A", "tiles")["value"], 4)

    def test_a_type_that_is_asked_for(self):
        line = ["solve", "renewal", "--input", "f=.5,.5", "--param", "time=20", "--type", "f32"]
        if self.run_json("solve", "renewal", "--input", "f=.5", "--param", "time=300000")["algorithm"] != "sequential":
            result = self.run_json(*line, "--explain")
            self.assertEqual((result["type"], result["plan"]["type"]), ("f32", "f32 is asked for"))
        self.refuse(*line, "-A", "sequential", names=["computes with f64, not with f32"])

    def test_the_end_of_a_line_with_a_report(self):
        coins = ["solve", "coins", "--input", "coin=1,2,5", "--param", "amount=10000000000"]
        stdout, _ = self.run_program(*coins, "--print", "9999999990..10000000000", "--dry-run")
        self.assertIn("method    window", stdout)

    def test_monotone_splits(self):
        line = ["solve", "obst", "--input", "p=4,2,6,3", "--input", "q=1,2,3,1,2", "--algorithm"]
        expected = self.run_json(*line, "sequential")
        result = self.run_json(*line, "knuth")
        self.assertEqual((result["algorithm"], result["type"]), ("knuth", "i64"))
        self.assertEqual((result["value"], result["report"]), (expected["value"], expected["report"]))
        for method in ["sequential", "knuth"]:  # which looks through the data
            plan = self.run_json(*line, method, "--explain", "--dry-run")["plan"]
            reason, = [c.get("reason", "") for c in plan["candidates"] if c["algorithm"] == "knuth"]
            self.assertEqual("if the data keeps to 'monotone'" in reason, method == "sequential")
        self.refuse("solve", "mcm", "--input", "p=2,3,4", "--algorithm", "knuth",
                    names=["method 'knuth' cannot solve this problem: its recurrence does not say monotone"])
        (self.folder / "own.dp").write_text("interval own\n  input w[n, n]\n  size n\n  leaf 0\n  term l + r\n"
                                            "  finish best + w[i,j]\n  combine min\n  monotone\n")
        rows = [["1"] * 120 for _ in range(120)]
        rows[3][9] = "2"
        (self.folder / "w.txt").write_text("\n".join(" ".join(row) for row in rows))
        line = ["solve", "own.dp", "--input", "w=@w.txt", "--no-compile"]
        reason = "a part weighs more than the whole: w(3,9) is 2, and w(3,10) is 1"
        self.refuse(*line, "--algorithm", "knuth", names=["method 'knuth' cannot solve this problem: " + reason])
        result = self.run_json(*line)
        self.assertIn("not by knuth: " + reason, result["note"])
        candidates = self.run_json(*line, "--explain")["plan"]["candidates"]
        self.assertIn(("knuth", reason), [(c["algorithm"], c["reason"]) for c in candidates if c["refused"]])
        self.assertEqual((result["algorithm"], result["value"]), ("sequential", 118))

    def test_a_folder_is_no_file(self):
        (self.folder / "mcm").mkdir()
        self.assertEqual(self.run_json("solve", "mcm", "--input", "p=2,3,4")["value"], 24)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_compiled_or_not(self):
        text = CHAIN.replace("+ l", "+ l + 1")
        (self.folder / "mine.dp").write_text(text)
        line = ["solve", "mine.dp", "--input", "d=" + ",".join(str(1 + 7 * i % 13) for i in range(200))]
        notes = []
        results = []
        for more, environment in [([], {}), (["--no-compile"], {}), ([], {"PIPEDP_COMPILE": "0"})]:
            stdout, stderr = self.run_program(*line, *more, environment=environment)
            results.append(stdout.splitlines()[:3])
            notes.append(stderr)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.assertEqual(notes[0], "")
        self.assertEqual(notes[1], "pipedp: note: interpreted, which is slow: compiling is switched off\n")
        # The compiler fails, also where the loops take so long that a GPU would be asked for first.
        for n in [400, 700]:
            line[-1] = "d=" + ",".join(str(1 + 7 * i % 13) for i in range(n))
            cache = {"XDG_CACHE_HOME": str(self.folder / "empty"), "CC": "/bin/false"}
            stderr = self.run_program(*line, environment=cache)[1]
            self.assertIn("pipedp: note: interpreted, which is slow: the C compiler '/bin/false' failed", stderr)
        self.assertIn("PIPEDP_COMPILE=0", notes[2])
        note = self.run_json(*line, "--no-compile")["note"]
        self.assertEqual(notes[1], f"pipedp: note: {note}\n")

    def test_built_in_kernels_are_there_whatever_is_proven(self):
        """Floats that stay small, and such that do not. With sanitizers only the filter is built in."""
        is_sanitized = "sanitizers: none" not in self.run_json("info")["build"]
        for line, value in [("renewal f=1 time=3", 1), ("renewal f=0.5,0.25 time=2", 0.5), ("filter x=1,2,3 a=1 w=0.5", 4.25),
                            ("filter x=1e300,1e300 a=1 w=1e10", "inf"), ("triangulation x=0,3,3 y=0,0,4", 12)]:
            if "filter" in line or not is_sanitized:
                line = [*arguments(line), "-A", "tiles" if "triangulation" in line else "blocks"]
                self.assertEqual(self.run_json(*line, environment={"PIPEDP_COMPILE": "0"})["value"], value)

    def test_weights_that_no_term_has(self):
        (self.folder / "a.dp").write_text("linear a\ninput a[k]\nparam n\nsize n\npreset 3 : i\nmissing skip\n"
                                          "offset a[j]\nterm s + 60/(a[j]-2)\ncombine min\n")
        line = ["solve", "a.dp", "--input", "a=1,2", "--no-compile", "--param"]
        for more in ["-A", "sequential"], ["--backend", "host"]:
            self.assertEqual(self.run_json(*line, "n=3", *more)["value"], 2)
            self.refuse(*line, "n=4", *more, names=["divi"])

    def matrix(self, *more, **options):
        line = ["solve", "matrix.dp", "--param", "n=5", "--param", "scale=1", "--no-compile"]
        return self.run_json(*line, *more, **options)

    def test_numbers_in_every_form(self):
        (self.folder / "rows").write_text("1 2\n\n3, 4.5\n")
        write_npy(self.folder / "w.npy", [1, 2, 3, 4.5], shape=(2, 2), descr="<f8", code="<d")
        write_npy(self.folder / "w4.npy", [1, 2, 3, 4.5], shape=(2, 2), descr="<f4", code="<f")
        write_npy(self.folder / "a.npy", [1, 2])
        for w in ["1,2;3,4.5", "1 2\n3 4.5", "1e0,+2.;.3e1,45e-1;", "@rows", "@w.npy", "@w4.npy"]:
            for a in ["1,2", "1 2", "@a.npy"]:
                self.assertEqual(self.matrix("--input", f"w={w}", "--input", f"a={a}")["value"], 31.0, (w, a))
        self.assertEqual(self.matrix("--input", "w=@-", "--input", "a=1,2", stdin="1 2\n3 4.5\n")["value"], 31.0)
        write_npy(self.folder / "whole.npy", [1, 2, 3, 4], shape=(2, 2))
        self.assertEqual(self.matrix("--input", "w=@whole.npy", "--input", "a=1,2")["value"], 31.0)

    def test_text_from_a_file(self):
        (self.folder / "s").write_text("GGGAAAUCC \n\n")
        for source in ["s=@s", "s=GGGAAAUCC"]:
            self.assertEqual(self.run_json("solve", "nussinov", "--input", source)["value"], 3)
        self.assertEqual(self.run_json("solve", "nussinov", "--input", "s=@-", stdin="GGGAAAUCC\n")["value"], 3)

    def refuse_matrix(self, message, *fields):
        line = [part for field in fields for part in (["--param", field] if field[:2] in ("n=", "sc") else
                                                      ["--input", field])]
        stderr = self.refuse("solve", "matrix.dp", *line, "--table", "t.npy", names=[])
        self.assertEqual(stderr, f"pipedp: {message}\n")

    def test_errors_name_option_value_and_place(self):
        self.refuse_matrix("--input w: row 2 (line 1) has 1 number, and must have 2, as many as row 1", "w=1,2;3")
        self.refuse_matrix("--input w: item 4 (line 1, column 7): empty: a comma with no number after it", "w=1,2;3,")
        self.refuse_matrix("--input w: item 3 (line 2, column 1): empty: a comma with no number before it", "w=1,2\n,3")
        self.refuse_matrix("--input w: item 4 (line 1, column 7): 'nan' is not a number", "w=1,2;3,nan")
        self.refuse_matrix("--input w: item 4 (line 1, column 7): '0x1' is not a number", "w=1,2;3,0x1")
        self.refuse_matrix("--input w: item 4 (line 1, column 7): '1e999' is beyond float64", "w=1,2;3,1e999")
        self.refuse_matrix("--input w: there is no number, and a matrix has at least one", "w=")
        self.refuse_matrix("--input a: item 2 (line 1, column 3): '2.5' is not a whole number", "w=1,2;3,4", "a=1,2.5")
        self.refuse_matrix("--param scale: 'x' is not a number", "scale=x")
        self.refuse_matrix("--param scale: '1e999' is beyond float64", "scale=1e999")
        self.refuse_matrix("--param n: '1.5' is not a whole number", "n=1.5")
        self.refuse_matrix("--input z: weighted has no input or parameter 'z'; it has n, scale, w, a", "z=1")
        self.refuse_matrix("--input w: it is given twice", "w=1,2", "w=1,2")
        self.refuse_matrix("--input w and --input a both want standard input", "w=@-", "a=@-")
        self.refuse_matrix("--input w: 'nowhere' cannot be opened: No such file or directory", "w=@nowhere")
        self.refuse_matrix("matrix.dp: input a is missing", "w=1,2", "n=5")
        self.refuse_matrix("matrix.dp: parameter n is missing", "w=1,2", "a=1")
        self.refuse_matrix("matrix.dp: input w has 3 columns, and must have 2", "w=1,2,3", "a=1", "n=5")
        self.refuse_matrix("matrix.dp: a[1] is 0, and must be at least 1", "w=1,2;3,4", "a=1,0", "n=5")
        write_npy(self.folder / "w.npy", [1, 2, 3, 4], descr="<f8", code="<d")
        self.refuse_matrix("--input w: 'w.npy': .npy: the shape is (4,), and must have two dimensions, like (2, 3)",
                           "w=@w.npy")
        write_npy(self.folder / "w.npy", [1, 2, 3, 4], shape=(2, 2), descr="<u8")
        self.refuse_matrix("--input w: 'w.npy': .npy: the type is '<u8', and must be '<f8' (little-endian float64), "
                           "'<f4' or '<i8'", "w=@w.npy")
        header = (self.folder / "w.npy").read_bytes().replace(b"<u8", b"<f8").replace(b"False", b"True ")
        (self.folder / "w.npy").write_bytes(header)
        self.refuse_matrix("--input w: 'w.npy': .npy: the matrix is in Fortran order, and must be in C order, row by "
                           "row", "w=@w.npy")
        (self.folder / "w.npy").write_bytes(header.replace(b"True ", b"False")[:-8] + struct.pack("<d", math.nan))
        self.refuse_matrix("--input w: w[3] is nan, and must be finite", "w=@w.npy")

    def test_errors_of_other_fields(self):
        for line, message in [
            (["nussinov", "--input", "s=GGXA"], "--input s: s[2] is 'X' (byte 0x58), and must be one of ACGU"),
            (["nussinov", "--input", "s=@nowhere"], "--input s: 'nowhere' cannot be read: No such file or directory"),
            (["nussinov", "--input", "s=@."], "--input s: '.' cannot be read: Is a directory"),
            (["nussinov", "--param", "s=GG"], "--param s: it is an input: --input s=GG"),
            (["nussinov", "--input", "loop=3"], "--input loop: it is a parameter: --param loop=3"),
            (["nussinov", "--param", "loop=-1", "--input", "s=GG"],
             "nussinov: parameter loop is -1, and must be at least 0"),
            (["nussinov", "--input", "s="], "nussinov: the number of points is 1, and must be 2 to 2147483647"),
            (["mcm", "--input", "p=5"], "mcm: the number of points is 1, and must be 2 to 2147483647"),
            (["sdp", "--param", "op=plus"], "--param op: parameter op is 'plus', which is no operator"),
            (["sdp", "--param", "op=" + 41 * "x"],
             "--param op: parameter op is '" + 40 * "x" + "', which is no operator"),
            (["mcm", "--input", "p=1,2,x"], "--input p: item 3 (line 1, column 5): 'x' is not a whole number"),
            (["mcm", "--input", "p=1,0"], "mcm: p[1] is 0, and must be at least 1"),
            (["tsp"], "'tsp' is neither a file nor a built-in recurrence; pipedp list shows those"),
            (["tsp.dp"], "recurrence: 'tsp.dp' cannot be read: No such file or directory"),
            (["mcm", "--input", "p=1,2", "--print", "0..1"], "--print: mcm is not linear; --table writes its table"),
            (["rod", "--input", "price=1", "--param", "length=3", "--print", "0..4"],
             "--print: '0..4' goes beyond the last cell, 3"),
            (["rod", "--input", "price=1", "--param", "length=3", "--splits", "s"],
             "--splits: rod is linear, and has no splits"),
            (["lfsr", "--input", "tap=1", "--input", "init=1", "--param", "n=3", "--report", "r"],
             "--report: lfsr has no report clause"),
        ]:
            self.assertEqual(self.refuse("solve", *line, names=[]), f"pipedp: {message}\n")
        for line, message in [([], "the recurrence is missing: give a .dp file or a name of pipedp list"),
                              (["mcm", "x"], "'x' is one argument too many"),
                              (["mcm", "--input", "p"], "--input: 'p' is not NAME=VALUE"),
                              (["mcm", "--param", "=1"], "--param: '=1' is not NAME=VALUE")]:
            self.assertEqual(self.refuse("solve", *line, names=[]).splitlines()[0], f"pipedp solve: {message}")

    def test_a_file_that_is_no_recurrence(self):
        (self.folder / "bad.dp").write_text("linear x\n  sizee 3\n")
        for command in ["solve", "show"]:
            stderr = self.refuse(command, "bad.dp", names=["pipedp: bad.dp: line 2, column 3: unknown clause 'sizee'"])
            self.assertTrue(stderr.endswith("\n  sizee 3\n  ^\n"), stderr)
        body = "\tinput p[n]\n\tsize n\n\tleaf 0\n\tterm l + r + {}\n\tcombine min\n"
        for text, message in [
            ("interval x\n" + body.format("q[i]"),
             "line 5, column 15: 'q' is not an input; expected the name of one before '['\n term l + r + q[i]\n" +
             14 * " " + "^\n"),
            ("interval x\n" + body.format("p[j+1]"),
             "line 5, column 15: the index of 'p' goes up to n; n - 1 is the last\n term l + r + p[j+1]\n" +
             14 * " " + "^\n"),
        ]:
            (self.folder / "bad.dp").write_text(text)
            self.assertEqual(self.refuse("solve", "bad.dp", "--table", "t.npy", names=[]), f"pipedp: bad.dp: {message}")
        (self.folder / "zeros.dp").write_bytes(bytes(100000))
        self.refuse("show", "zeros.dp", names=["zeros.dp: "])
        (self.folder / "empty.dp").write_text("")
        self.refuse("show", "empty.dp", names=["empty.dp: line 1"])


class ListAndShow(CommandTest):
    def test_list(self):
        stdout, _ = self.run_program("list")
        self.assertIn("nussinov (interval): The most base pairs of an RNA without crossing, with at least `loop` bases "
                      "between the two of a pair.\n    [--param loop=NUMBER] --input s=TEXT\n", stdout)
        self.assertIn("cyk (interval): Is a text in the language of a grammar in Chomsky normal form?\n", stdout)
        entries = self.run_json("list")
        self.assertEqual(entries[0]["name"], "mcm")
        self.assertEqual(len(stdout.splitlines()), 2 * len(entries))
        for entry in entries:
            self.assertIn(entry["shape"], ("interval", "linear"))
            self.assertRegex(entry["summary"], r"^[A-Z].*[.?]$")
        nussinov = next(entry for entry in entries if entry["name"] == "nussinov")
        self.assertEqual(nussinov["fields"][1], {"name": "s", "option": "--input", "kind": "TEXT", "real": False,
                                                 "optional": False, "alphabet": "ACGU"})
        self.assertEqual((nussinov["report"], nussinov["fields"][0]["optional"]), ("brackets", True))
        self.refuse("list", "x", names=["'x' is one argument too many"])

    def test_show(self):
        for entry in self.run_json("list"):
            stdout, _ = self.run_program("show", entry["name"])
            self.assertTrue(stdout.startswith(f"{entry['shape']} {entry['name']}\n"), stdout)
            (self.folder / "again.dp").write_text(stdout)  # what is printed reads as the same
            self.assertEqual(self.run_program("show", "again.dp")[0], stdout)

    def test_emit(self):
        for kind in [[], ["--type", "f32"], ["--type", "checked"]]:
            stdout, _ = self.run_program("show", "mcm", "--emit", "c", *kind)
            self.assertIn("PDP_INLINE", stdout)
        # Loops are copied for every cell of a block where they are loops of vectors, not where they are of scalars.
        (self.folder / "loops.dp").write_text(
            "interval a\n input p[n]\n size n\n leaf p[i]\n term add[q < i] (l*q)\n combine add\n")
        for name, is_plain in [("cyk", False), ("mcm", False), ("loops.dp", True)]:
            stdout, _ = self.run_program("show", name, "--emit", "c")
            self.assertEqual("#define PDP_LOOPS" in stdout, is_plain, name)
        self.assertEqual(self.refuse("show", "filter", "--emit", "c", "--type", "i32", names=[]),
                         "pipedp: --type: 'i32' does not fit filter\n")
        self.refuse("show", "mcm", "--emit", "rust", names=["--emit: 'rust' is not a language; there is c"])
        self.refuse("show", "mcm", "--type", "i32", names=["--type is for --emit alone"])
        self.refuse("show", names=["the recurrence is missing"])


if __name__ == "__main__":
    main()
