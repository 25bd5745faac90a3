"""pipedp bench: what it refuses; Table I of the paper at a small size, on fibres and on the CPU alone; the methods that
skip terms, at a small size; the planner, and the rates it goes by."""
import pathlib
import shutil
import xml.etree.ElementTree

import support

METHODS = ["SEQUENTIAL", "NAIVE-PARALLEL", "PIPELINE", "tournament", "2-by-2 pipeline", "pipeline, resident",
           "one device thread", "blocks on device", "blocks on CPU"]
CHAIN_METHODS = ["reference on CPU", "tournament", "tournament, resident", "pipeline", "pipeline, resident", "wavefront",
                 "wavefront, resident", "printed", "printed, resident", "tiles on device", "tiles on CPU"]
SCHEDULES = ["tournament", "pipeline", "wavefront", "pipeline-printed"]
QUICK = ["--small", "--reps", 2, "--seconds", 0.01]


class Paper(support.CommandTest):
    def check_cells(self, cells, names, missing):
        """All methods in their order; each has times, or is one of `missing` and says why."""
        self.assertEqual([c["method"] for c in cells], names)
        for c in cells:
            if c["method"] in missing:
                self.assertNotEqual(c["missing"], "", c)
                continue
            self.assertTrue(1 <= c["runs"] <= 2, c)
            self.assertTrue(0 < c["least_ms"] <= c["median_ms"] <= c["most_ms"], c)
            self.assertTrue(c["least_ms"] <= c["mean_ms"] * 1.000001 <= c["most_ms"] * 1.000002, c)
            self.assertAlmostEqual(c["speed_up"], cells[0]["mean_ms"] / c["mean_ms"], delta=1e-6 * c["speed_up"])

    def check_report(self, report, missing, chain_missing):
        self.assertEqual(report["command"], "bench paper")
        self.assertEqual([r["row"] for r in report["rows"]], [1, 2, 3])
        for r in report["rows"]:
            self.assertTrue(r["least_n"] <= r["n"] <= r["most_n"] and r["least_k"] <= r["k"] <= r["most_k"], r["row"])
            offsets = r["offsets"]
            self.assertEqual(len(offsets), r["k"])
            self.assertEqual(offsets, sorted(set(offsets), reverse=True))
            self.assertTrue(1 <= offsets[-1] and offsets[0] <= r["n"] // 2)
            later = missing | ({"one device thread"} if r["row"] > 1 else set())
            self.check_cells(r["plain"], METHODS, later)
            self.check_cells(r["weighted"], METHODS, later)
            self.assertEqual("consecutive" in r, r["row"] < 3)
            if r["row"] < 3:
                self.check_cells(r["consecutive"], METHODS, later | {"one device thread"})
        self.assertEqual(len(report["chains"]), 5)
        for c in report["chains"]:
            self.check_cells(c["methods"], CHAIN_METHODS, chain_missing)
            self.assertEqual([x["algorithm"] for x in c["costs"]], SCHEDULES)
            self.assertEqual(c["costs"][1]["steps"], c["n"] * (c["n"] - 1) / 2 + c["n"] - 2)

    def test_on_fibres(self):
        report = self.run_json("bench", "paper", "--backend", "host", *QUICK)
        self.assertEqual(report["backend"], "host")
        self.check_report(report, set(), set())
        self.assertFalse(any(x["estimated"] for c in report["chains"] for x in c["costs"]))
        self.assertEqual(report["chains"][2]["costs"][1]["umm"], 9104)  # n = 32, as docs/paper.md has it
        self.assertEqual(len(report["fits"]), 16)

    def test_on_the_cpu_alone(self):
        """What needs a GPU says why it is not there; costs beyond --model are estimated from those below."""
        all_device = {m for m in METHODS + CHAIN_METHODS if m not in ("SEQUENTIAL",) and not m.endswith("on CPU")}
        report = self.run_json("bench", "paper", "--backend", "cpu", "--model", 32, *QUICK)
        self.check_report(report, all_device, all_device)
        exact = self.run_json("bench", "paper", "--backend", "cpu", "--parts", "chain", *QUICK)
        for c, e in zip(report["chains"], exact["chains"]):
            for x, y in zip(c["costs"], e["costs"]):
                self.assertEqual(x["estimated"], c["n"] > 32)
                self.assertAlmostEqual(x["umm"] / y["umm"], 1, delta=0.3 if x["estimated"] else 0)

    def test_seed_and_parts(self):
        """The same seed draws the same; a part that was not asked for is not there."""
        one, same, other = (
            self.run_json("bench", "paper", "--backend", "cpu", "--parts", "table", "--seed", seed, *QUICK)["rows"]
            for seed in (7, 7, 8)
        )
        self.assertEqual([r["offsets"] for r in one], [r["offsets"] for r in same])
        self.assertNotEqual([r["offsets"] for r in one], [r["offsets"] for r in other])
        self.assertTrue(all("plain" in r and "consecutive" not in r for r in one))
        report = self.run_json("bench", "paper", "--backend", "cpu", "--parts", "chain", *QUICK)
        self.assertEqual((report["rows"], len(report["chains"])), ([], 5))

    def test_in_words(self):
        stdout, _ = self.run_program("bench", "paper", "--backend", "host", *QUICK)
        for words in METHODS + CHAIN_METHODS + ["seed 1", "Table I, row 3", "worst case", "UMM slots", "verified"]:
            self.assertIn(words, stdout)
        self.assertLessEqual(max(map(len, stdout.splitlines())), 130)
        stdout, _ = self.run_program("bench", "paper", "--backend", "cpu", *QUICK)
        self.assertIn("left out: --backend is cpu", stdout)

    def test_picture(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        for backend in ("host", "cpu"):
            _, stderr = self.run_program("bench", "paper", "--backend", backend, "--plot", "p.svg", *QUICK)
            self.assertEqual(stderr, "")
            text = pathlib.Path(self.folder, "p.svg").read_text()
            xml.etree.ElementTree.fromstring(text)
            self.assertIn("wavefront, resident" if backend == "host" else "tiles on CPU", text)

    def test_refusals(self):
        for arguments, names in [
            (["--backend", "abacus"], ["--backend", "abacus", "opencl"]),
            (["--parts", "table,chains"], ["--parts", "'chains'", "consecutive"]),
            (["--parts", ""], ["--parts", "''"]),
            (["--reps", 0], ["--reps", "'0'", "1 to 100"]),
            (["--reps", 101], ["--reps", "'101'"]),
            (["--seconds", -1], ["--seconds", "-1"]),
            (["--seed", "x"], ["--seed", "'x'"]),
            (["--model", "2^99"], ["--model", "2^99"]),
            (["more"], ["'more'"]),
        ]:
            self.refuse("bench", "paper", *arguments, names=names)
        self.refuse("bench", "papers", names=["pipedp: 'papers' is not a benchmark; there are interval, linear, "])
        self.assertNotIn("''", self.refuse("bench", names=["Usage: pipedp bench"]))


class Checks(support.CommandTest):
    def test_rows(self):
        report = self.run_json("bench", "checks", "--only", "mcm,triangulation_product", "--reps", 2, "--seed", 5)
        self.assertEqual((report["command"], report["rounds"], report["threads"], report["seed"]),
                         ("bench checks", 2, 1, 5))
        self.assertEqual([(r["recurrence"], r["n"]) for r in report["rows"]],
                         [*[("mcm", n) for n in (10, 100, 1000, 10000, 1000000)], ("triangulation_product", 100000)])
        for r in report["rows"]:
            self.assertEqual((r["method"], r["certificate"]), ("hu-shing", "certified"))
            self.assertTrue(r["seconds"] > 0 and r["seconds_checked"] > 0 and r["ratio"] > 0, r)

    def test_in_words(self):
        stdout, _ = self.run_program("bench", "checks", "--only", "triangulation_product", "--reps", 1, "--threads", 2)
        self.assertRegex(stdout, r"triangulation_product +100000 +0  hu-shing +certified +[0-9.]+ +[0-9.]+ +[0-9.]+ ")

    def test_floats_are_compared(self):
        """Their value is not that of whole numbers, 0, which all solutions have."""
        rows = self.run_json("bench", "checks", "--only", "filter,renewal,rod", "--reps", 1)["rows"]
        self.assertEqual([r["recurrence"] for r in rows], ["rod", "filter", "renewal"])
        for r in rows:
            self.assertNotEqual(r["value"], 0, r)

    def test_every_recurrence_has_a_row(self):
        names = [r["name"] for r in self.run_json("list")]
        self.assertGreater(len(names), 15)
        self.refuse("bench", "checks", "--only", ",".join(names + ["abacus"]), names=["--only", "'abacus'", "list"])

    def test_refusals(self):
        for arguments, names in [
            (["--only", ""], ["--only", "''"]),
            (["--reps", 0], ["--reps", "'0'", "1 to 100"]),
            (["--threads", 0], ["--threads", "'0'"]),
            (["--seed", "x"], ["--seed", "'x'"]),
            (["more"], ["'more'"]),
        ]:
            self.refuse("bench", "checks", *arguments, names=names)


class Methods(support.CommandTest):
    def test_rows(self):
        """Every row is verified and has its times; what it must reach is only said at its own size."""
        report = self.run_json("bench", "methods", "--n", 8192, "--reps", 2)
        self.assertEqual((report["command"], report["rounds"], report["seed"]), ("bench methods", 2, 1))
        self.assertEqual([(r["method"], r["type"]) for r in report["rows"]],
                         [("settle", "i32"), ("settle", "i64"), ("runs", "i32"), ("runs", "i64"), ("series", "mod"),
                          ("series", "mod"), ("bostan-mori", "mod"), ("knuth", "i64"), ("window", "i32")])
        for r in report["rows"]:
            self.assertEqual((r.get("against"), r["n"]), (None if r["method"] in ("bostan-mori", "knuth") else "blocks", 8192))
            self.assertTrue(0 < r["seconds"]["least"] <= r["seconds"]["median"] <= r["seconds"]["most"], r)
            self.assertEqual("ratio" in r, "against" in r)
            self.assertNotIn("must", r)
        row, = self.run_json("bench", "methods", "--only", "bostan-mori", "--reps", 3)["rows"]
        self.assertEqual((row["n"], row["must"], row["aim"]), (10**18 + 1, 0.05, 0.01))
        report = self.run_json("bench", "methods", "--only", "runs", "--reps", 1)
        for r in report["rows"]:
            self.assertEqual((r["method"], r["n"], r["must"], r["aim"]), ("runs", 524288, 0.03, 0.015))
            self.assertEqual(r["reached"], r["seconds"]["median"] <= 0.03)

    def test_in_words(self):
        stdout, _ = self.run_program("bench", "methods", "--n", 4096, "--reps", 1, "--only", "settle,runs")
        for words in ("settle", "runs", "blocks", "n = 4096", "verified", "x blocks"):
            self.assertIn(words, stdout)
        self.assertNotIn("must", stdout)

    def test_refusals(self):
        for arguments, names in [
            (["--only", "abacus"], ["--only", "abacus", "settle, runs"]),
            (["--only", ""], ["--only", "''"]),
            (["--n", 4095], ["--n", "'4095'", "4096"]),
            (["--n", "2^31"], ["--n", "2^31"]),
            (["--reps", 0], ["--reps", "'0'", "1 to 100"]),
            (["--seed", "x"], ["--seed", "'x'"]),
            (["more"], ["'more'"]),
        ]:
            self.refuse("bench", "methods", *arguments, names=names)


class Planner(support.CommandTest):
    def test_planner(self):
        result = self.run_json("bench", "planner", "--seed", 3, "--count", 2)
        self.assertEqual((result["command"], result["seed"], result["count"], len(result["problems"])),
                         ("bench planner", 3, 2, 2))
        for problem in result["problems"]:
            self.assertGreaterEqual(problem["ratio"], 1)
            self.assertGreaterEqual(problem["methods"][0]["seconds"], 0.01)
            self.assertGreater(len(problem["methods"]), 1)
        self.assertLessEqual(result["near"], 2)
        longest = max(result["problems"], key=lambda problem: problem["methods"][0]["seconds"])
        stdout, _ = self.run_program("bench", "planner", "--seed", longest["seed"], "--count", 1)
        self.assertRegex(stdout, r"\n1 problems: the choice is within 1.25 times the fastest for [0-9.]+ % of them, at worst ")
        self.assertIn(f" {longest['problem']}: ", stdout)  # its own seed draws it first
        self.assertIn(f"\n       pipedp bench planner --count 1 --seed {longest['seed']}\n", stdout)
        self.refuse("bench", "planner", "--count", 0, names=["--count", "'0'"])

    def test_floats_are_compared(self):
        problem, = self.run_json("bench", "planner", "--seed", 17238340319535957202, "--count", 1)["problems"]
        self.assertIn("renewal, ", problem["problem"])
        self.assertGreater(problem["value"], 0)

    def test_tune(self):
        cache = self.folder / "cache"
        environment = {"XDG_CACHE_HOME": str(cache)}
        line = ["sdp", "--random", 200000, "-k", 5000, "--dry-run", "--explain"]
        self.assertIn("by rates that are built in", self.run_program(*line, environment=environment)[0])
        self.assertFalse(cache.exists())  # who only looks for rates leaves nothing behind
        rates = self.run_json("tune", environment=environment)
        self.assertGreater(rates["blocks i32"], 1e6)
        # What there is no problem for keeps its built-in rate, and so does a GPU where there is none.
        kept = ["tiles u32", "tiles u64", "blocks checked", "bytes of fresh memory", "compilations"]
        self.assertEqual([name for name in rates if rates[name] is None and "GPU" not in name], kept)
        self.assertRegex(self.run_program("tune", environment=environment)[0],
                         r"\nblocks i32 +[0-9][^ ]* +[^ ]+\n(.*\n)*compilations +- +[^ ]+\n")
        file = cache / "pipedp" / "rates"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertEqual([p.name for p in file.parent.iterdir() if p.name.startswith("work-")], [])
        text = file.read_text()
        self.assertEqual(len(text.splitlines()), len(rates) + 2)
        self.assertIn("by rates that are measured", self.run_program(*line, environment=environment)[0])
        for damaged in [text[:-9], text.replace("settle: ", "settle: -"), text.replace("rates", "dates"), "", "\0" * 99]:
            file.write_text(damaged)
            self.assertIn("by rates that are built in", self.run_program(*line, environment=environment)[0])
        file.write_text(text)
        file.chmod(0o622)
        self.assertIn("by rates that are built in", self.run_program(*line, environment=environment)[0])
        self.refuse("tune", "more", names=["'more'"])

if __name__ == "__main__":
    support.main()
