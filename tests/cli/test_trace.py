"""pipedp trace: counts as formulas, the paper's figures, all formats."""
import json
import math
import xml.etree.ElementTree as xml

from support import CommandTest, main

CHAIN = ["30", "35", "15", "5", "10"]
FIG3 = ["trace", "sdp", "--offsets", "5,3,1", "--init", "9,4,7,2,8", "-n", "12"]
FIG4 = ["trace", "sdp", "--offsets", "4,3,2,1", "--init", "5,3,8,6", "-n", "12"]
KEYS = ["steps", "operations", "threads", "utilisation", "hazards", "conflicts", "max_multiplicity", "cost"]


class Trace(CommandTest):
    def test_summary_of_the_matrix_chain_methods(self):
        for n in [1, 2, 3, 4, 7, 32, 33, 65]:
            steps = {
                "sequential": (n**3 - n) // 6,
                "tournament": sum((n - d) * (1 + math.ceil(math.log2(d))) for d in range(1, n)),
                "pipeline": n * (n - 1) // 2 + n - 2 if n > 1 else 0,
                "wavefront": 3 * n - 5 if n > 1 else 0,
            }
            for method, expected in steps.items():
                s = self.run_json("trace", "mcm", "--random", n, "--algorithm", method, "--summary")
                self.assertEqual(s["steps"], expected, (n, method))
                self.assertEqual((s["hazards"], s["conflicts"]), (0, [0, 0, 0, 0]), (n, method))
                self.assertEqual(s["substeps"], ["left", "right", "compute", "combine"])
                self.assertLessEqual(max(s["max_multiplicity"]), 1)
                self.assertEqual(s["backend"], "machine")
                for key in KEYS:
                    self.assertIn(key, s)
                if n > 1:
                    self.assertAlmostEqual(s["utilisation"], s["operations"] / s["threads"] / s["steps"], places=6)

    def test_printed_pipeline_has_hazards_from_four_matrices_on(self):
        for n, expected in [(3, False), (4, True), (9, True)]:
            s = self.run_json("trace", "mcm", "--random", n, "--algorithm", "pipeline-printed", "--summary")
            self.assertEqual(s["hazards"] > 0, expected, n)
            self.assertEqual(s["conflicts"], [0, 0, 0, 0])
            self.assertIs(s["guaranteed"], False)

    def test_summary_of_the_sdp_methods(self):
        n, offsets = 40, [9, 8, 7, 5, 2]
        k, a1 = len(offsets), offsets[0]
        steps = {"sequential": (n - a1) * k, "naive": n - a1, "tournament": (n - a1) * (1 + math.ceil(math.log2(k))),
                 "pipeline": n + k - a1 - 1, "pipeline2": n + math.ceil(k / 2) - a1 - 1}
        for method, expected in steps.items():
            s = self.run_json("trace", "sdp", "--offsets", "9,8,7,5,2", "--init", "1,2,3,4,5,6,7,8,9", "-n", n,
                              "--algorithm", method, "--summary")
            self.assertEqual((s["steps"], s["hazards"]), (expected, 0), method)
            self.assertEqual(s["substeps"], ["read", "combine"])
            # Three consecutive offsets: the pipeline reads one cell three times; 2-by-2 never twice.
            self.assertEqual(s["max_multiplicity"][0], 3 if method == "pipeline" else 1, method)
            self.assertEqual(s["max_multiplicity"][1], k if method == "naive" else 1, method)

    def test_consecutive_offsets_serialise(self):
        free = self.run_json(*FIG3, "--summary")
        worst = self.run_json(*FIG4, "--summary")
        self.assertEqual(free["cost"]["serial"], 2 * free["steps"])
        self.assertEqual(worst["max_multiplicity"], [4, 1])
        # In step s, min(s, 4, 11 + 1 - s) threads read one cell, one after the other; combining takes 1 more.
        self.assertEqual(worst["cost"]["serial"], sum(min(s, 4, 12 - s) + 1 for s in range(1, 12)))

    def test_width_and_latency(self):
        base = self.run_json(*FIG3, "--summary")["cost"]
        slow = self.run_json(*FIG3, "--summary", "--latency", 11)["cost"]
        narrow = self.run_json(*FIG3, "--summary", "--width", 1)["cost"]
        # Two requests a step, each answered ten slots later.
        self.assertEqual(slow["dmm"] - base["dmm"], 10 * 2 * 9)
        self.assertEqual(slow["umm"] - base["umm"], 10 * 2 * 9)
        # One thread a warp: a slot for each access, in both models.
        self.assertEqual((narrow["dmm"], narrow["umm"]), (2 * 21, 2 * 21))
        self.assertEqual(base["serial"], slow["serial"])

    def test_figure_3_as_json(self):
        trace = self.run_json(*FIG3)["trace"]
        first = [[(o["thread"], o["cell"], o["operands"]) for o in step["operations"]] for step in trace[:3]]
        self.assertEqual(first, [[(1, 5, [0])], [(1, 6, [1]), (2, 5, [2])], [(1, 7, [2]), (2, 6, [3]), (3, 5, [4])]])
        finished = [(step["step"], o["cell"]) for step in trace for o in step["operations"] if o["finishes"]]
        self.assertEqual(finished, [(cell - 2, cell) for cell in range(5, 12)])
        self.assertFalse(any(o["conflicts"] or o["hazards"] for step in trace for o in step["operations"]))

    def test_figure_4_as_json(self):
        trace = self.run_json(*FIG4)["trace"]
        for step in trace:
            head = step["step"] + 3
            self.assertEqual({o["operands"][0] for o in step["operations"]}, {head - 4})
        self.assertEqual([len(o["conflicts"]) for o in trace[3]["operations"]], [1, 1, 1, 1])

    def test_cells_13_and_12_of_the_paper(self):
        stdout, _ = self.run_program("trace", "mcm", "--cell", 13, "--format", "json")
        terms = [(t["left"], t["right"]) for t in json.loads(stdout)["terms"]]
        self.assertEqual(terms, [(1, 11), (6, 8), (10, 4)])
        stdout, _ = self.run_program("trace", "mcm", "--cell", 12)
        self.assertIn("ST[12] = f(ST[3],ST[9]) ↓ f(ST[8],ST[5])", stdout)
        layout = self.run_json("trace", "mcm", "--layout")
        self.assertEqual(len(layout["cells"]), 15)
        self.assertIn({"number": 13, "row": 1, "column": 4}, layout["cells"])

    def test_text_marks_hazards_and_conflicts(self):
        hazards, _ = self.run_program("trace", "mcm", *CHAIN, "--algorithm", "pipeline-printed")
        clean, _ = self.run_program("trace", "mcm", *CHAIN)
        self.assertIn("!hazard", hazards)
        self.assertNotIn("!hazard", clean)
        self.assertNotIn("!conflict", clean)
        self.assertIn("!conflict", self.run_program(*FIG4)[0])

    def test_pictures_are_svg(self):
        for n in [1, 2, 3, 5, 8, 20]:
            for method in ["pipeline", "pipeline-printed", "wavefront", "tournament", "sequential"]:
                if n == 20 and method in ("tournament", "sequential"):
                    continue
                self.run_program("trace", "mcm", "--random", n, "--algorithm", method, "--format", "svg", "--output",
                                 "p.svg")
                root = xml.parse(self.folder / "p.svg").getroot()
                self.assertTrue(root.tag.endswith("svg") and "viewBox" in root.attrib)
        for method in ["sequential", "naive", "tournament", "pipeline", "pipeline2"]:
            stdout, _ = self.run_program(*FIG4, "--algorithm", method, "--format", "svg")
            text = " ".join(xml.fromstring(stdout).itertext())
            self.assertIn("Step 1", text)
        for arguments in [["--layout"], ["--cell", "13"], ["--cell", "2"], ["--random", "1", "--layout"]]:
            stdout, _ = self.run_program("trace", "mcm", *arguments, "--format", "svg")
            xml.fromstring(stdout)

    def test_two_by_two_reads_two_operands_a_step(self):
        trace = self.run_json(*FIG4, "--algorithm", "pipeline2")["trace"]
        second = [(o["thread"], o["cell"], o["operands"]) for o in trace[1]["operations"]]
        self.assertEqual(second, [(1, 5, [1, 2]), (2, 4, [2, 3])])
        # Read, read, combine: three substeps a step, none of them in conflict.
        summary = self.run_json(*FIG4, "--algorithm", "pipeline2", "--summary")
        self.assertEqual(summary["cost"]["serial"], 3 * summary["steps"])
        self.assertIn("ST[5] = ST[1] ⊗ ST[2]", self.run_program(*FIG4, "--algorithm", "pipeline2")[0])

    def test_steps_show_a_part_of_the_same_run(self):
        for run in [["trace", "mcm", "--random", 7], [*FIG4, "--algorithm", "tournament"],
                    ["trace", "mcm", *CHAIN, 20, "--algorithm", "wavefront"]]:
            whole = self.run_json(*run)
            for first, last in [(1, 1), (2, 2), (3, 5), (6, 10**18)]:
                part = self.run_json(*run, "--steps", f"{first}..{last}")
                self.assertEqual(part.pop("trace"), [s for s in whole["trace"] if first <= s["step"] <= last])
                self.assertEqual(part, {key: value for key, value in whole.items() if key != "trace"})

    def text_steps(self, *run):
        """Of each step of the text its number, the state of the cells and the words, whatever the columns' width."""
        rows = [line.split() for line in self.run_program(*run)[0].splitlines()]
        return {row[0]: row for row in rows if row and row[0].isdigit()}

    def test_steps_in_text_have_the_state_of_the_whole_run(self):
        for run in [FIG3, [*FIG4, "--algorithm", "tournament"], ["trace", "mcm", "--random", 5]]:
            whole = self.text_steps(*run)
            part = self.text_steps(*run, "--steps", "4..6")
            self.assertEqual(part, {step: whole[step] for step in ["4", "5", "6"]})
        stdout, _ = self.run_program(*FIG3, "--steps", "4..99")
        self.assertIn("steps 4 to 9 of 9\n", stdout)
        self.assertRegex(stdout, r"operations +21\n")
        self.assertNotIn(" of 9", self.run_program(*FIG3, "--steps", "1..9")[0])

    def test_steps_in_which_nobody_works(self):
        run = ["trace", "mcm", *CHAIN, 20, "--algorithm", "wavefront", "--steps", "2..2"]
        self.assertEqual(self.text_steps(*run)["2"][-1], "idle")
        self.assertIn("idle", self.run_program(*run, "--format", "svg")[0])
        self.assertEqual(self.run_json(*run)["trace"], [])

    def test_steps_of_a_large_picture(self):
        run = ["trace", "mcm", "--random", 20, "--algorithm", "sequential", "--format", "svg"]
        self.refuse(*run, names=["1330 steps", "1000", "--steps 40..50"])
        text = " ".join(xml.fromstring(self.run_program(*run, "--steps", "1300..2000")[0]).itertext())
        self.assertIn("Step 1300 ", text)
        self.assertIn("Step 1330 ", text)
        self.assertNotIn("Step 1299 ", text)
        self.assertIn("shown: 1300–1330", text)

    def test_bad_steps(self):
        self.refuse(*FIG3, "--steps", "0..3", names=["--steps", "0..3"])
        self.refuse(*FIG3, "--steps", "3..2", names=["--steps", "3..2"])
        self.refuse(*FIG3, "--steps", "3", names=["--steps", "'3'"])
        self.refuse(*FIG3, "--steps", "10..12", "--output", "o", names=["--steps", "10..12", "there are 9"])
        self.refuse("trace", "mcm", 3, 4, "--steps", "1..2", names=["--steps", "1..2", "there are 0"])
        self.refuse(*FIG3, "--steps", "1..2", "--summary", names=["--steps", "--summary"])

    def test_too_many_operations_to_write_down(self):
        run = ["trace", "mcm", "--random", 312]
        message = self.refuse(*run, names=["5000000", "--summary", "--steps"])
        self.assertEqual(message.count("pipedp:"), 1, message)
        self.assertEqual([s["step"] for s in self.run_json(*run, "--steps", "48000..48001")["trace"]], [48000, 48001])

    def test_figures_of_the_table_take_no_options_of_a_run(self):
        for figure in [["--layout"], ["--cell", 13]]:
            for option in [["--steps", "1..2"], ["--summary"], ["--algorithm", "pipeline"], ["--width", 32],
                           ["--latency", 1]]:
                self.refuse("trace", "mcm", *figure, *option, names=[figure[0], option[0]])

    def test_layout_has_no_limit_as_json(self):
        self.refuse("trace", "mcm", "--random", 61, "--layout", names=["61 matrices", "60"])
        self.refuse("trace", "mcm", "--random", 61, "--layout", "--format", "svg", names=["61 matrices", "60"])
        self.assertEqual(len(self.run_json("trace", "mcm", "--random", 61, "--layout")["cells"]), 61 * 62 // 2)

    def test_help(self):
        self.assertEqual(self.run_program("trace", "-?"), self.run_program("trace", "--help"))
        self.assertIn("--steps 40..50", self.run_program("trace", "mcm", "--help")[0])

    def test_initial_values(self):
        for more in [[], ["--format", "svg"]]:
            self.assertIn("initial values 9, 4, 7, 2, 8", self.run_program(*FIG3, *more)[0])
            self.assertNotIn("initial", self.run_program("trace", "mcm", *CHAIN, *more)[0])
        stdout, _ = self.run_program("trace", "sdp", "--offsets", "20", "--init", ",".join(map(str, range(20))), "-n", 22)
        self.assertIn("initial values 0, 1, 2, 3, 4, 5, …, 18, 19\n", stdout)

    def test_a_tick_for_each_cell_finished(self):
        for method in ["sequential", "naive", "tournament", "pipeline", "pipeline2"]:
            stdout, _ = self.run_program(*FIG4, "--algorithm", method, "--format", "svg")
            self.assertEqual(stdout.count('class="tick"'), 1 + 8, method)  # one of them in the legend
        stdout, _ = self.run_program(*FIG3, "--format", "svg", "--steps", "2..4")
        self.assertEqual(stdout.count('class="tick"'), 1 + 2)

    def test_second_operands_are_dashed(self):
        for run, label in [([*FIG4, "--algorithm", "pipeline2"], "second read"),
                           (["trace", "mcm", *CHAIN], "right operand")]:
            stdout, _ = self.run_program(*run, "--format", "svg")
            pairs = self.run_json(*run)["operations"]
            self.assertIn(label, stdout)
            self.assertEqual(stdout.count("stroke-dasharray"), 1 + pairs)
        self.assertNotIn("second read", self.run_program(*FIG3, "--format", "svg")[0])

    def test_overflow_prints_nothing(self):
        self.refuse("trace", "sdp", "--op", "add", "--offsets", "2,1", "--init", "1,1", "-n", 99, names=["cell 92"], code=1)


if __name__ == "__main__":
    main()
