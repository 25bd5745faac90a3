"""Answers that are checked: --verify, --save and pipedp verify."""
import hashlib
import json
import os
import random
import re
import shlex
import subprocess
import unittest

from support import DATA, PROGRAM, CommandTest, main, reads_json

EXAMPLES = DATA.parent
COMMANDS = [shlex.split(line.split(" | ")[1].strip("`"))[1:]
            for line in (EXAMPLES / "README.md").read_text().splitlines() if "| `pipedp " in line]


READS_JSON = reads_json()


class Verify(CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "examples").symlink_to(EXAMPLES)  # where the commands of the README find their data

    def save(self, *arguments, **changes):
        """A saved solution, with some of its members changed."""
        self.run_program(*arguments, "--save", "s.json")
        saved = json.loads((self.folder / "s.json").read_text())
        for key, value in changes.items():
            saved[key] = value(saved[key]) if callable(value) else value
        (self.folder / "s.json").write_text(json.dumps(saved))
        return saved

    def wrong(self, *names):
        self.refuse("verify", "s.json", names=["s.json: ", *names], code=3)

    def test_levels(self):
        chain = ["mcm", 30, 35, 15, 5, 10, 20, 25]
        self.assertEqual(self.run_json(*chain)["certificate"], "unchecked")
        for more in [[], ["--algorithm", "tiles"], ["--algorithm", "pipeline"], ["--random", 300], ["--table", "t.npy"]]:
            line = ["mcm", *more] if "--random" in more else [*chain, *more]
            result = self.run_json(*line, "--verify")
            self.assertEqual(result["certificate"], "certified", result)
            self.assertIn("so is the least cost", result["checked"])
            self.assertGreaterEqual(result["verify_seconds"], 0)
        stdout, _ = self.run_program(*chain, "--verify")
        self.assertRegex(stdout, r"\ncertified the value is what the 5 decisions come to; so is the least cost, which the arcs ")
        line = ["solve", "coins", "--input", "coin=2,5", "--param", "amount=9", "--print", "8..9"]
        for more, stderr in [([], r"^$"), (["--verify"], r"^pipedp: note: witness: the value is what [^\n]+\n$"),
                             (["--verify=full"], r"^pipedp: note: certified: [^\n]+\n$")]:
            output = self.run_program(*line, *more)
            self.assertEqual(output[0], "ST[8] = 4\nST[9] = 3\n")
            self.assertRegex(output[1], stderr)
        self.assertEqual(self.run_program(*line, "--verify", "--json")[1], "")
        line = ["solve", "nussinov", "--input", "s=GGGAAAUCC"]
        self.assertEqual(self.run_json(*line, "--verify")["certificate"], "witness")
        result = self.run_json(*line, "--verify=full")
        self.assertEqual(result["certificate"], "certified")
        self.assertIn("; method 'sequential' comes to the same", result["checked"])
        for more, second in [(["--algorithm", "knuth"], "tiles"), (["--algorithm", "tiles"], "knuth")]:
            result = self.run_json("solve", "merge", "--input", "w=4,1,3,2", *more, "--verify=full")
            self.assertIn(f"; method '{second}' comes to the same", result["checked"])
        self.assertIn("; method 'tiles' comes to the same", self.run_json(*chain, "--verify=full")["checked"])
        # An infinite float is the same by both; and a gcd of one term keeps its sign.
        text = "linear a\ntype f32\nparam n\ninput w[k]\nsize n\npreset 1 : 0 - 3\nmissing skip\noffset j+1\n"
        (self.folder / "f.dp").write_text(text + "term s*w[j]\ncombine min\n")
        result = self.run_json("solve", "f.dp", "--param", "n=90", "--input", "w=15,11", "-A", "window", "--verify=full")
        self.assertIn("comes to the same", result["checked"])
        (self.folder / "g.dp").write_text("linear a\nparam x\ninput a[k] >= 1\nsize 2\nmissing skip\noffset a[j]\nsource x\nterm s\n"
                                          "combine gcd\n")
        self.assertEqual(self.run_json("solve", "g.dp", "--input", "a=2", "--param", "x=-3", "--verify")["value"], -3)
        self.refuse(*line, "--verify=most", names=["--verify: 'most' is not known"])

    def test_a_wrong_answer_is_an_error(self):
        self.refuse("mcm", 2, 1, 2, 1, 1, "--algorithm", "pipeline-printed", "--verify", "--save", "s.json", code=3,
                    names=["the answer is wrong: its decisions come to 5, and the value is 6"])

    def test_every_builtin_goes_round(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                result = self.run_json(*command, "--verify", "--save", "s.json")
                self.assertIn(result["certificate"], ["witness", "certified"])
                self.assertEqual(result["certificate"] == "certified", result["algorithm"] in ("hu-shing", "bostan-mori"))
                saved = json.loads((self.folder / "s.json").read_text())
                self.assertEqual(saved["certificate"], result["certificate"])
                if READS_JSON:
                    checked = self.run_json("verify", "s.json")
                    self.assertIn(checked["certificate"], [result["certificate"], "certified"])
                    self.assertEqual(checked["problem"], result["problem"])
                    self.assertEqual((checked["value"], checked["type"]), (saved["value"], saved["type"]))
                    value = re.search(r"^(?:value|cost) +(.*)", self.run_program(*command)[0], re.M)[1]
                    self.assertIn(f"\nvalue     {value}\n", self.run_program("verify", "s.json")[0])
                    self.assertIn(self.run_json("verify", "s.json", "--full")["certificate"], ["witness", "certified"])

    def builtins(self):
        """The first command of the examples for every built-in recurrence; a new one has to be there."""
        names = [line.split()[0] for line in self.run_program("list")[0].splitlines() if not line.startswith(" ")]
        commands = {command[1]: command for command in reversed(COMMANDS)}
        self.assertEqual([name for name in names if name not in commands], [])
        return {name: commands[name] for name in names}

    def check_level(self, name, result):
        """Chains are certified, others at least have a witness: one cell of a sum may be by bostan-mori."""
        levels = ["certified"] if name in ("mcm", "triangulation_product") else ["witness", "certified"]
        self.assertIn(result["certificate"], levels, result)

    def test_whatever_is_asked_for(self):
        """Value, table, report, splits, one cell, some cells, a batch: all are checked, of every built-in recurrence."""
        for name, command in self.builtins().items():
            linear = f"{name} (linear)" in self.run_program("list")[0]
            requests = [[], ["--table", "t.npy"], ["--report", "r.txt"]]
            requests += [["--at", 20], ["--print", "15..20"]] if linear else [["--splits", "s.npy"]]
            for request in requests:
                with self.subTest(name=name, request=request):
                    result = self.try_json(*command, *request, "--verify")
                    if result:
                        self.check_level(name, result)
            with self.subTest(name=name, request="batch"):
                data = " ".join(value for key, value in zip(command, command[1:]) if key in ("--input", "--param"))
                (self.folder / "b.txt").write_text(f"{data}\n{data}\n")
                for result in self.run_json("solve", name, "--batch", "b.txt", "--verify"):
                    self.check_level(name, result)

    def try_json(self, *arguments):
        """None if the program has a reason not to."""
        result = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True,
                                cwd=self.folder, timeout=120)
        if result.returncode == 2:
            self.assertRegex(result.stderr, r"cannot solve this problem|has no report clause|runs on the CPU alone")
            return None
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return json.loads(result.stdout)

    def test_every_method(self):
        """Bostan and Mori's has but one cell, which powers of x give too."""
        for name, command in self.builtins().items():
            methods = re.findall(r"[a-z0-9-]+", self.refuse(*command, "--algorithm", "none", names=["there are"])
                                 .split("there are")[1])
            taken = []
            for method in methods:
                if method in ("auto", "and", "pipeline-printed"):  # the last may be wrong
                    continue
                with self.subTest(name=name, method=method):
                    result = self.try_json(*command, "--algorithm", method, "--verify")
                    if result and method == "bostan-mori":
                        self.assertEqual(result["certificate"], "certified")
                    elif result:
                        self.check_level(name, result)
                        taken.append(method)
            self.assertIn("sequential", taken)
            self.assertGreaterEqual(len(taken), 2, name)

    def test_on_a_device(self):
        """Kernels are compiled for it, a second each."""
        for name, command in self.builtins().items():
            if name in ("mcm", "coins") or os.environ.get("PIPEDP_LONG"):
                with self.subTest(name=name):
                    result = self.try_json(*command, "--backend", "host", "--verify")
                    if result:
                        self.assertEqual(result["backend"], "host")
                        self.check_level(name, result)

    def test_policies_of_sdp(self):
        for more in [["--overflow", "wrap"], ["--mod", 1000003], ["--op", "xor"], ["--op", "max", "--weights", "4,-7"],
                     ["--x", "@x.txt"]]:
            (self.folder / "x.txt").write_text(" ".join(map(str, range(200))))
            op = [] if "--op" in more else ["--op", "add"]
            if more[0] == "--x":
                op = ["--op", "min"]
            saved = self.save("sdp", *op, "--offsets", "2,1", "--init", "1,3", "-n", 200, *more, "--verify")
            self.assertEqual(saved["certificate"], "witness")
            if READS_JSON:
                self.assertEqual(self.run_json("verify", "s.json")["value"], saved["value"])
                self.save("sdp", *op, "--offsets", "2,1", "--init", "1,3", "-n", 200, *more, value=lambda v: v ^ 1)
                self.wrong("the answer is wrong")

    def test_cells_and_methods_without_a_table(self):
        line = ["solve", "compositions_mod", "--input", "part=1,2,5", "--param", "total=3000"]
        values = {}
        for at in [[], ["--at", 1], ["--at", 2500]]:
            for method, level in [("blocks", "witness"), ("series", "witness"), ("window", "witness"),
                                  ("bostan-mori", "certified")]:
                saved = self.save(*line, *at, "--algorithm", method, "--verify")
                self.assertEqual((saved["certificate"], saved.get("at")), (level, at[1] if at else None), method)
                self.assertEqual(values.setdefault(str(at), saved["value"]), saved["value"])
                if READS_JSON:
                    result = self.run_json("verify", "s.json")
                    self.assertEqual((result["certificate"], result["value"]), (level, saved["value"]))
                    result = self.run_json(*line, *at, "--algorithm", method, "--verify=full")
                    self.assertEqual(result["certificate"], "certified", result["checked"])
        far = ["sdp", "--op", "add", "--mod", 1000003, "--offsets", "2,1", "--init", "0,1", "--at", 10**15]
        self.save(*far, "-A", "bostan-mori")
        if READS_JSON:
            self.assertEqual(self.run_json("verify", "s.json")["certificate"], "certified")
            self.save(*far, "-A", "bostan-mori", value=lambda v: v ^ 1)
            self.wrong("the answer is wrong: it is claimed to be")
            self.save(*far, "-A", "bostan-mori", at=-3)
            self.refuse("verify", "s.json", names=['"at" is -3, and must be a cell, counted from 0'])
        result = self.run_json("solve", "compositions_mod", "--input", "part=1,2,5", "--param", "total=9", "--at", 10**12,
                               "--verify=full")
        self.assertIn("no other goes beyond the last cell, 9", result["checked"])
        result = self.run_json("sdp", "--op", "max", "--offsets", "7,2", "--init", "1,2,3,4,5,6,7", "--weights", "9,2",
                               "-n", 100000, "-A", "window", "--verify")
        self.assertEqual(result["certificate"], "witness")

    def test_numbers_of_every_kind(self):
        weighted = ["sdp", "--op", "add", "--mod", 97, "--offsets", "2,1", "--init", "1,1", "-n", 12, "--weights", "2,3"]
        self.assertEqual(self.save(*weighted)["params"], {"P": 97, "op": "add", "n": 12})
        (self.folder / "grow.dp").write_text("linear g\n param n >= 1\n type f64\n size n\n preset 1 : 1.0\n missing skip\n"
                                             " offset j + 1\n input w[k]\n term w[j]*s\n combine max\n")
        grow = ["solve", "grow.dp", "--input", "w=1e10", "--param", "n=200"]
        self.assertEqual(self.save(*grow)["value"], "inf")  # which is the most there is, and can be had
        result = self.run_json(*grow, "--print", "31..32")
        self.assertEqual((result["value"], result["feasible"], result["cells"]), ("inf", True, ["inf", "inf"]))
        # Under min it is what has no term, but only where there can be such a cell.
        text = "linear g\n param n >= 1\n type f64\n size n\n preset 1 : 1.0\n offset 1 + j\n input w[k]\n term w[j]*s\n combine min\n"
        for more, value in [("", "inf"), (" missing skip\n", None)]:
            (self.folder / "least.dp").write_text(text + more)
            for method in ["sequential", "blocks"]:
                result = self.run_json("solve", "least.dp", "--input", "w=1e10", "--param", "n=200", "-A", method, "--verify=full")
                self.assertEqual((result["value"], result["feasible"], result["certificate"]), (value, value is not None, "certified"))
        if READS_JSON:
            self.assertIn("value     inf\n", self.run_program("verify", "s.json")[0])
            self.assertEqual(self.run_json("verify", "s.json")["value"], "inf")
            for change in [{"real": True, "type": "f64"}, {"real": True, "type": "f64", "value": 123.5}]:
                self.save("solve", "coins", "--input", "coin=3,5", "--param", "amount=0", **change)
                stderr = self.refuse("verify", "s.json", names=["s.json: "])  # as the plain loops say, where there is no kernel
                self.assertRegex(stderr, '"real" is true, and the numbers of coins are whole|computes with checked, not with f64')
            self.save("solve", "filter", "--input", "x=1,2", "--input", "a=1", "--input", "w=1", real=False, value=3)
            self.refuse("verify", "s.json", names=['"real" is false, and the numbers of filter are floats'])

    def test_inputs_of_files_and_in_place(self):
        (self.folder / "p.txt").write_text("30,35,15,5\n")
        digest = hashlib.sha256(b"30,35,15,5\n").hexdigest()
        for line in [["mcm", "@p.txt"], ["mcm", "--file", "p.txt"], ["solve", "mcm", "--input", "p=@p.txt"]]:
            self.assertEqual(self.save(*line)["inputs"], {"p": {"file": "p.txt", "sha256": digest}})
        for length in [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000]:  # where the last block ends
            text = "7" + " " * length
            (self.folder / "w.txt").write_text(text)
            saved = self.save("solve", "merge", "--input", "w=@w.txt")
            self.assertEqual(saved["inputs"]["w"]["sha256"], hashlib.sha256(text.encode()).hexdigest())
        self.run_program("mcm", "@-", "--save", "s.json", stdin="3 4 5")
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["inputs"], {"p": [3, 4, 5]})
        self.check_read_once()
        saved = self.save("solve", "nussinov", "--input", "s=GCAU", "--param", "loop=0")
        self.assertEqual((saved["inputs"], saved["params"]), ({"s": "GCAU"}, {"loop": 0}))
        self.refuse("mcm", "2", "3", "--save", "x/s.json", names=["x/s.json"], code=1)
        self.refuse("mcm", "2", "3", "--save", "a", "--order", "a", names=["--order and --save both go to 'a'"])
        (self.folder / "b.txt").write_text("2,3,4\n")
        self.refuse("solve", "mcm", "--batch", "b.txt", "--save", "s2.json", names=["--save is for one problem"])

    def check_read_once(self):
        """What cannot be read a second time is saved itself, and not the hash of what is left of it."""
        os.mkfifo(self.folder / "pipe")
        writer = subprocess.Popen(["sh", "-c", "echo 10 20 30 40 > pipe"], cwd=self.folder)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        for line in [["mcm", "@/dev/stdin"], ["mcm", "--file", "/dev/fd/0"], ["solve", "mcm", "--input", "p=@/dev/stdin"],
                     ["solve", "mcm", "--input", "p=@pipe"]]:
            self.run_program(*line, "--save", "s.json", stdin="10 20 30 40\n")
            saved = json.loads((self.folder / "s.json").read_text())
            self.assertEqual(saved["inputs"], {"p": [10, 20, 30, 40]}, line)
            if READS_JSON:
                self.run_program("verify", "s.json")
        line = ["solve", "nussinov", "--input", "s=@/dev/stdin", "--save", "s.json"]
        with open(self.folder / "s.txt", "w+") as file:  # a file, but not by this name the next time
            file.write("GCAU\n")
            file.seek(0)
            subprocess.run([PROGRAM, *line], stdin=file, stdout=subprocess.DEVNULL, cwd=self.folder, check=True)
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["inputs"], {"s": "GCAU"})

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_sums_of_floats_in_the_order_of_their_method(self):
        chance = random.Random(3)
        x = ",".join(str(chance.randint(-10, 10)) for _ in range(30))  # grows, so that rounding does too
        for method in ["sequential", "blocks", "window"]:
            self.save("solve", "filter", "--input", f"x={x}", "--input", "a=1,2", "--input", "w=10.1,-1", "-A", method)
            self.run_program("verify", "s.json")
            self.save("solve", "filter", "--input", f"x={x}", "--input", "a=1,2", "--input", "w=10.1,-1", "-A", method,
                      value=lambda v: v * 1.001)
            self.wrong("the answer is wrong: it is claimed to be")

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_rounding_is_that_of_the_type(self):
        """A type that the method does not have, or that the value is not of, does not widen what is taken for right."""
        line = ["solve", "filter", "--input", "x=1,0.3,2,5,0.1,7", "--input", "a=1,2", "--input", "w=0.3,0.1"]
        for method in ["blocks", "window"]:
            short = self.save(*line, "-A", method, "--type", "f32")["value"]
            self.assertIn(" (f32)\n", self.run_program("verify", "s.json")[0])
            value = self.save(*line, "-A", method)["value"]
            self.assertNotEqual(value, short)
            self.assertNotIn("f32", self.run_program("verify", "s.json")[0])
            self.save(*line, "-A", method, value=lambda v: v * (1 + 1e-5))
            self.wrong("the answer is wrong: it is claimed to be")
            for off in [value, value * (1 + 1e-5), 1e300]:
                self.save(*line, "-A", method, type="f32", value=off)
                for full in [[], ["--full"]]:
                    self.refuse("verify", "s.json", *full,
                                names=['"value" is ', ", and must be a number of f32, which is its type"])
        self.save(*line, "-A", "sequential", type="f32", value=short)
        self.refuse("verify", "s.json", names=["method 'sequential' computes with f64, not with f32"])
        near = short + 2**-20  # the next float, which rounding may well leave: it is what was claimed
        self.save(*line, "-A", "blocks", "--type", "f32", value=near)
        self.assertEqual(self.run_json("verify", "s.json")["value"], near)

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_sets_are_told_as_sets(self):
        (self.folder / "own.dp").write_text("interval own\n type bits\n input b[n]\n size n\n leaf b[i]\n term l | r\n"
                                            " combine or\n")
        for last, text in [(4, "{0, 2}"), (-2**63, "{0, 63}"), (-1, "{" + ", ".join(map(str, range(64))) + "}")]:
            line = ["solve", "own.dp", "--input", f"b=1,{last},0"]
            saved = self.save(*line)
            for command in [line, ["verify", "s.json"]]:
                self.assertIn(f"\nvalue     {text}\n", self.run_program(*command)[0])
                self.assertEqual(self.run_json(*command)["value"], saved["value"] % 2**64)

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_tampered(self):
        chain = ["mcm", 30, 35, 15, 5, 10, 20, 25]
        self.save(*chain, value=15124)
        self.wrong("its decisions come to 15125, and the value is 15124")
        self.save(*chain, value=lambda v: -v)
        self.wrong("its decisions come to 15125, and the value is -15125")
        self.save(*chain, inputs={"p": [30, 35, 15, 5, 10, 20, 24]})
        self.wrong("the answer is wrong: its decisions come to")
        self.save(*chain, inputs={"p": [30, 35, 15, 5, 10, 20]})
        self.wrong("the answer is wrong: decision 4, number 5 at (3, 6), is not one of this problem")
        self.save(*chain, decisions=[["split", 0, 1, 6], *[["split", i, i + 1, 6] for i in range(1, 5)]], value=27000)
        self.wrong("its decisions come to", "and the value is 27000")
        dear = [["split", 0, 5, 6], *[["split", 0, j - 1, j] for j in range(5, 1, -1)]]
        p = chain[1:]
        self.save(*chain, decisions=dear, value=sum(p[0] * p[k] * p[j] for _, _, k, j in dear))
        self.wrong("the answer is wrong: it is 40500, and should be 15125, the least cost by Hu and Shing's")
        cases = [(lambda d: d[1:], "cell (0, 6) is used, and no decision is of it"),
                 (lambda d: d[:-1], "cell (3, 5) is used, and no decision is of it"),
                 (lambda d: [], "cell (0, 6) is used"),
                 (lambda d: d + d, "is of no use"),
                 (lambda d: d * 100, "is not one of this problem"),
                 (lambda d: [["split", 0, 0, 6], *d[1:]], "decision 1, number 0 at (0, 6), is not one"),
                 (lambda d: [["split", 0, 6, 6], *d[1:]], "decision 1, number 6 at (0, 6), is not one"),
                 (lambda d: [["option", 0, 0, 6], *d[1:]], "decision 1, number 0 at (0, 6), is not one"),
                 (lambda d: [["step", 0, 0, 6], *d[1:]], "decision 1, number 0 at (0, 6), is not one"),
                 (lambda d: [["split", 0, 3, 2**62], *d[1:]], "is not one of this problem")]
        for change, text in cases:
            self.save(*chain, decisions=change)
            self.wrong("the answer is wrong: ", text)
        coins = ["solve", "coins", "--input", "coin=1,5,7", "--param", "amount=20"]
        self.save(*coins, value=3)
        self.wrong("its decisions come to 4, and the value is 3")
        self.save(*coins, params={"amount": 21})
        self.wrong("the answer is wrong: the steps end at cell 20")
        for change, text in [(lambda d: d[1:], "the steps end at cell"), (lambda d: d[:-1], "the steps begin at cell"),
                             (lambda d: [["step", 20, 2, 14], *d[1:]], "step 1, from cell 20 to cell 14 by offset 2"),
                             (lambda d: [["step", 20, 9, 19], *d[1:]], "step 1, from cell 20"),
                             (lambda d: [["step", 20, 3, 19], *d[1:]], "step 1, from cell 20 to cell 19 by offset 3, is none"),
                             (lambda d: [["step", 21, 0, 20], *d], "step 1, from cell 21 to cell 20 by offset 0, is none"),
                             (lambda d: [["split", 20, 0, 19], *d[1:]], "step 1, from cell 20")]:
            self.save(*coins, decisions=change)
            self.wrong(text)
        self.save("solve", "coins", "--input", "coin=3", "--param", "amount=20", feasible=True, value=7, decisions=[])
        self.wrong("the steps begin at cell 20, which needs another")
        self.save("solve", "coins", "--input", "coin=3", "--param", "amount=21", feasible=False, value=None,
                  decisions=None)
        self.wrong("it is claimed to be none, and is 7")
        self.save("solve", "compositions", "--input", "part=1,2", "--param", "total=40", value=lambda v: v + 1)
        self.wrong("it is claimed to be 165580142, and is 165580141")
        self.save("solve", "renewal", "--input", "f=0.5,0.5", "--param", "time=9", value=lambda v: v * 1.01)
        self.wrong("it is claimed to be 0.67")
        steps = [["step", 9, 0, 8], ["step", 8, 0, 7]]
        for line, text in [(["compositions", "--input", "part=1,2", "--param", "total=9"], "the operator does not choose"),
                           (["coins", "--input", "coin=4", "--param", "amount=9"], "there is no way")]:
            self.save("solve", *line, decisions=steps)
            self.refuse("verify", "s.json", names=[f's.json: "decisions" is a list of 2, and must be null: {text}'])

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_tampered_files(self):
        data = self.folder / "p.txt"
        data.write_text("30,35,15,5\n")
        self.save("mcm", "@p.txt")
        data.write_text("30,35,15,5 \n")
        self.wrong("input p: 'p.txt' is another file than it was: its sha256 is ",
                   hashlib.sha256(b"30,35,15,5\n").hexdigest())
        data.write_text("30,35,15,5\n")
        self.save("mcm", "@p.txt", inputs=lambda i: {"p": {**i["p"], "sha256": "0" * 64}})
        self.wrong("is another file than it was", "0" * 64)
        data.unlink()
        self.refuse("verify", "s.json", names=["'p.txt' cannot be read"])

    @unittest.skipUnless(READS_JSON, "built without jansson")
    def test_bad_files(self):
        whole = (self.folder / "s.json")
        for text, names in [("", ["line 1, column 0"]), ("{", ["line 1"]), ("[]", ["it is [], and must be a JSON object"]),
                            ('{"format": 3}', ['"format" is 3, and must be "pipedp solution 1"']),
                            ("{}", ['"format" is missing: it must be "pipedp solution 1"']),
                            ('{"a": 1, "a": 2}', ["duplicate"]), ('{"a": "\\u0000"}', ["line 1"]),
                            ("[" * 100000, ["line 1"])]:
            whole.write_text(text)
            self.refuse("verify", "s.json", names=["s.json: ", *names])
        chain = ["mcm", 30, 35, 15, 5]
        for changes, text in [
                ({"recurrence": 3}, '"recurrence" is 3, and must be the text of one'),
                ({"recurrence": "interval"}, "the recurrence: line 1"),
                ({"params": []}, '"params" is [], and must be an object'),
                ({"inputs": None}, '"inputs" is null, and must be an object'),
                ({"inputs": {"q": [1]}}, "mcm has no input or parameter 'q'"),
                ({"params": {"p": 1}}, "\"params\" has 'p', which is an input of mcm"),
                ({"inputs": {"p": [1, 2.5]}}, "input p: item 2 is 2.5, and must be a whole number"),
                ({"inputs": {"p": [1, "2"]}}, 'input p: item 2 is "2", and must be a whole number'),
                ({"inputs": {"p": [1, -2]}}, "p[1] is -2, and must be at least 1"),
                ({"inputs": {"p": []}}, "input p has 0 items"), ({"inputs": {}}, "input p is missing"),
                ({"inputs": {"p": True}}, "input p is true, and must be a number, a text, a list or a file"),
                ({"inputs": {"p": "abc"}}, "input p is a list of numbers, not a text"),
                ({"inputs": {"p": {"file": "x"}}}, 
                 'input p is {"file": "x"}, and must have "file" and "sha256" alone'),
                ({"inputs": {"p": {"file": "x", "sha256": "y", "sha1": "z"}}}, 'and must have "file" and "sha256" alone'),
                ({"feasible": 1}, '"feasible" is 1, and must be true or false'),
                ({"real": None}, '"real" is null, and must be true or false'),
                ({"value": 2.5}, '"value" is 2.5, and must be a whole number'),
                ({"value": None}, '"value" is null, and must be a whole number'),
                ({"feasible": False}, '"value" is 7875, and must be null'),
                ({"value": "7"}, '"value" is "7", and must be a whole number'),
                ({"value": "7" * 999}, '"value" is "' + "7" * 59 + "..., and must be"),
                ({"version": 1}, '"version" is 1, and must be three numbers with points between them'),
                *[({"version": text}, f'"version" is "{text}", and must be') for text in ["", "1.2", "1.2.3.4", "1.2.x"]],
                ({"algorithm": "none"}, '"algorithm" is "none", and must be a method for intervals'),
                ({"algorithm": "blocks"}, '"algorithm" is "blocks", and must be a method for intervals'),
                ({"backend": "tpu"}, '"backend" is "tpu", and must be cpu, cuda, opencl, host or machine'),
                ({"type": "i8"}, '"type" is "i8", and must be i32, i64, f32, f64, checked, mod or bits'),
                ({"type": "bits"}, '"type" is "bits", and that of mcm is '),
                ({"real": True, "type": "i64"}, '"type" is "i64", and must be f32 or f64'),
                ({"certificate": "sure"}, '"certificate" is "sure", and must be unchecked, witness or certified'),
                ({"checked": 7}, '"checked" is 7, and must be a text'),
                ({"values": 7}, '"values" is nothing that --save writes'),
                ({"decisions": {}}, '"decisions" is {}, and must be a list or null'),
                ({"decisions": [["split", 0, 1]]}, 'decision 1 is ["split", 0, 1], and must be ["split", i, k, j]'),
                ({"decisions": [["split", 0, 1, 2], ["cut", 0, 1, 2]]}, 'decision 2 is ["cut", 0, 1, 2], and must be'),
                ({"decisions": [["split", 0, -1, 2]]}, 'decision 1 is ["split", 0, -1, 2], and must be'),
                ({"decisions": [["split", 0, 1.5, 2]]}, 'decision 1 is ["split", 0, 1.5, 2], and must be'),
                ({"decisions": [3]}, "decision 1 is 3, and must be")]:
            self.save(*chain, **changes)
            self.refuse("verify", "s.json", names=["s.json: ", text])
        (self.folder / "own.dp").write_text("interval own\n  input c[n, n]\n  size n\n  leaf 0\n  term l + r + c[i,j]\n"
                                            "  combine min\n")
        self.save("solve", "own.dp", "--input", "c=1,2,3;4,5,6;7,8,9")
        self.run_program("verify", "s.json")
        self.save("solve", "own.dp", "--input", "c=1,2,3;4,5,6;7,8,9", inputs={"c": [[1, 2, 3], [4, 5], [7, 8, 9]]})
        self.refuse("verify", "s.json", names=["input c: row 2 is [4, 5], and must be as long as row 1"])
        for rows, text in [([[1, 2, 3], [4, "5", 6], [7, 8, 9]], 'row 2, item 2 is "5", and must be a whole number'),
                           ([1, 2, 3], "row 1 is 1, and must be a list")]:
            self.save("solve", "own.dp", "--input", "c=1,2,3;4,5,6;7,8,9", inputs={"c": rows})
            self.refuse("verify", "s.json", names=[f"s.json: input c: {text}"])
        self.save("solve", "coins", "--input", "coin=1,5", "--param", "amount=7", inputs={"coin": [1, 5], "amount": 7})
        self.refuse("verify", "s.json", names=["\"inputs\" has 'amount', which is a parameter of coins"])
        self.save("solve", "coins", "--input", "coin=1,5", "--param", "amount=7", params={"amount": [7]})
        self.refuse("verify", "s.json", names=["parameter amount is [7], and must be a number or a text"])
        saved = self.save("solve", "compositions_mod", "--input", "part=1,2", "--param", "total=9", type="i64")
        self.refuse("verify", "s.json", names=['"type" is "i64", and that of compositions_mod is mod'])
        for key in saved:
            whole.write_text(json.dumps({other: value for other, value in saved.items() if other != key}))
            self.refuse("verify", "s.json", names=[f'"{key}" is missing: it must be '])
        many = 10**5  # rows of which the first is as long: 80 GB, if the others were
        self.save("solve", "own.dp", "--input", "c=1,2,3;4,5,6;7,8,9", inputs={"c": [[1] * many, *[[]] * many]})
        self.refuse("verify", "s.json", names=["input c: row 2 is [], and must be as long as row 1"])
        for path in ["-", "/dev/stdin", "."]:
            self.save(*chain, inputs={"p": {"file": path, "sha256": hashlib.sha256(b"2 3 4").hexdigest()}})
            self.refuse("verify", "s.json", names=[f"s.json: input p: '{path}' is no file that stays as it is"],
                        stdin="2 3 4")
        self.refuse("verify", names=["the file is missing"])
        self.refuse("verify", "a", "b", names=["one argument too many"])
        self.refuse("verify", "none.json", names=["'none.json' cannot be read"])

    @unittest.skipIf(READS_JSON, "built with jansson")
    def test_without_a_reader(self):
        self.save("mcm", 2, 3, 4)
        self.refuse("verify", "s.json", names=["s.json cannot be read: this pipedp was built without jansson"], code=1)


if __name__ == "__main__":
    main()
