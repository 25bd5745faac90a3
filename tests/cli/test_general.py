"""Help, version, info, selftest."""
import json
import re

from support import CommandTest, main, reads_json

COMMANDS = [["solve"], ["list"], ["show"], ["mcm"], ["sdp"], ["trace", "mcm"], ["trace", "sdp"], ["trace"], ["selftest"],
            ["info"], ["verify"]]


class General(CommandTest):
    def test_every_command_has_help_with_examples(self):
        self.assertIn("Examples", self.run_program("--help")[0])
        for command in COMMANDS:
            stdout, stderr = self.run_program(*command, "--help")
            self.assertIn("Example", stdout, command)
            self.assertIn("pipedp " + command[0], stdout)
            self.assertEqual(stderr, "")

    def test_options_are_in_groups(self):
        solve = ["algorithm", "backend", "device-memory", "dry-run", "explain", "json", "memory", "no-compile", "resident",
                 "threads", "type", "verify"]
        for command, groups in [
            ("mcm", [("The chain", ["file", "max-dim", "random", "seed"]), ("The solve", solve),
                     ("Files", ["order", "output", "save", "splits", "table"])]),
            ("sdp", [("The problem", ["offsets", "init", "k", "mod", "n", "op", "overflow", "random", "seed", "weights",
                                      "x"]), ("The solve", solve), ("Files", ["at", "output", "print", "save", "table"])]),
            ("solve", [("The data", ["batch", "input", "param"]), ("The solve", solve),
                       ("Files", ["at", "output", "print", "report", "save", "splits", "table"])]),
        ]:
            blocks = self.run_program(command, "--help")[0].split("\n\n")[1:4]
            found = [(re.match(r" (.*):\n", block).group(1), re.findall(r"--([a-z-]+)[=\s[]", block)) for block in blocks]
            self.assertEqual(found, groups)

    def test_examples_of_the_help_run(self):
        (self.folder / "chains.txt").write_text("2,3,4\n5,6,7\n")
        for command in COMMANDS:
            stdout, _ = self.run_program(*command, "--help")
            examples = [line.split() for line in stdout.splitlines() if line.startswith("  pipedp ")]
            self.assertTrue(examples, command)
            for example in examples:
                if example[1] == "verify" and not reads_json():
                    continue
                if not any("@" in word or word in ("--help", "60", "2000") for word in example):
                    self.run_program(*example[1:])

    def test_version_and_info(self):
        version = self.run_program("--version")[0].split()[1]
        info = self.run_json("info")
        self.assertEqual(info["version"], version)
        self.assertEqual(sorted(info), ["build", "cpu_level", "devices", "memory_free", "threads", "unavailable",
                                        "version"])
        found = [device["backend"] for device in info["devices"]]
        self.assertEqual(sorted(found + list(info["unavailable"])), ["cuda", "opencl"])
        for device in info["devices"]:
            self.assertGreater(device["memory"], 0)
            self.assertTrue(device["name"] and device["driver"])
        for why in info["unavailable"].values():
            self.assertGreater(len(why), 10)
        self.assertIn(version, self.run_program("info")[0])

    def test_selftest(self):
        result = self.run_json("selftest", "--seed", 5, "--seconds", 0.2)
        self.assertEqual((result["seed"], result["mismatches"]), (5, 0))
        self.assertGreater(result["comparisons"], 10)
        stdout, _ = self.run_program("selftest", "--seconds", 0)
        self.assertIn("0 mismatches", stdout)
        json.dumps(result)

    def test_selftest_on_devices(self):
        result = self.run_json("selftest", "--backend", "host", "--seed", 1, "--seconds", 2)
        self.assertEqual((result["backend"], result["mismatches"]), ("host", 0))
        self.assertGreater(result["comparisons"], 5)
        self.assertIn("there are cuda, opencl, host", self.run_program("selftest", "--backend", "none", code=2)[1])


if __name__ == "__main__":
    main()
