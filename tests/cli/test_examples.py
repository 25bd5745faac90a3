"""examples/README.md: every command runs and gives the answer beside it, and every built-in recurrence has one."""
import re
import shlex

from support import DATA, CommandTest, main

EXAMPLES = DATA.parent
ROWS = [line.split(" | ") for line in (EXAMPLES / "README.md").read_text().splitlines() if "| `pipedp " in line]


class Examples(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = EXAMPLES.parent  # where the commands are to be run; they write nothing

    def test_every_command_gives_its_answer(self):
        for _, command, answer in ROWS:
            stdout, stderr = self.run_program(*shlex.split(command.strip("`"))[1:])
            self.assertEqual(stderr, "", command)
            value = re.search(r"^value +(.*)$", stdout, re.M).group(1)
            expected, *parts = re.findall(r"`([^`]*)`", answer)
            if "." in expected:  # a sum of floats, in an order that depends on the machine
                self.assertAlmostEqual(float(value), float(expected), delta=1e-9 * float(expected), msg=command)
            else:
                self.assertEqual(value, expected, command)
            for part in parts:
                self.assertIn(part, stdout, command)

    def test_every_builtin_and_every_file_is_used(self):
        text = (EXAMPLES / "README.md").read_text()
        solved = {shlex.split(command.strip("`"))[2] for _, command, _ in ROWS}
        self.assertLessEqual({entry["name"] for entry in self.run_json("list")}, solved)
        for path in [*DATA.iterdir(), *EXAMPLES.glob("*.*")]:
            self.assertTrue(path.name == "README.md" or path.name in text, path)


if __name__ == "__main__":
    main()
