"""The gallery: README.md's commands run and find their results right, and find wrong ones wrong. Wrong ones come from a
program in pipedp's place, which has pipedp solve something else, or changes the value."""
import os
import re
import subprocess
import sys

from support import DATA, PROGRAM, CommandTest, main

ROOT = DATA.parents[1]
COMMANDS = re.findall(r"^(examples/gallery/\S+)", (ROOT / "README.md").read_text(), re.M)
SLOW = {"chain", "rna"}  # until they see that a result is not the best

CHANGES = """
def change_value(result):
    result["value"] += 1

# What follows changes the question a little, so that the answer agrees with itself, but is not the best.
def worsen(arguments):
    changes = {"coin=1,2,20,50,100,200": "coin=1,2,50,100,200", "loop=3": "loop=4"}
    arguments = [changes.get(argument, argument) for argument in arguments]
    if arguments[1] == "knapsack":
        arguments = [re.sub(r"^(weight|value)=\\d+,", r"\\1=", argument) for argument in arguments]
    if arguments[1] == "filter":
        arguments = [argument.replace("w=0.25,", "w=0.26,") for argument in arguments]
    if arguments[1].endswith("launch_chain.dp"):
        arguments += ["--param", "chip=200000"]
    if arguments[1] == "obst":
        arguments = ["p=" + ",".join("1" for _ in numbers("p")) if a == "p=@p.txt" else a for a in arguments]
    return arguments

def numbers(name):
    return [int(word) for word in open(name + ".txt").read().split(",")]

# The value of the tree under the true numbers: each subtree adds all that is looked for in it.
def weigh_tree(result):
    hits, misses = numbers("p"), numbers("q")
    trees = re.findall(r"key \\d+ of (\\d+)\\.\\.(\\d+)", result["report"])
    result["value"] = sum(misses) + sum(
        sum(hits[int(first):int(last) + 1]) + sum(misses[int(first):int(last) + 2]) for first, last in trees)
"""


class Gallery(CommandTest):
    def liar(self, body):
        path = self.folder / "pipedp"
        path.write_text(f"#!{sys.executable}\nimport json, re, subprocess, sys\n{CHANGES}\n"
                        f"def ask(arguments):\n    command = [{os.path.abspath(PROGRAM)!r}, *arguments]\n"
                        f"    return json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)\n{body}\n"
                        f"print(json.dumps(result))\n")
        path.chmod(0o755)
        return path

    def run_example(self, command, program, code, arguments=()):
        done = subprocess.run([ROOT / command, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=240,
                              env=dict(os.environ, PIPEDP=str(program), PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual(done.returncode, code, f"{command}: {done.stdout} {done.stderr}")
        return done

    def test_all_examples_are_in_the_readme(self):
        scripts = [path for path in (ROOT / "examples/gallery").glob("*.py") if path.read_text().startswith("#!")]
        self.assertEqual(sorted(COMMANDS), sorted(str(path.relative_to(ROOT)) for path in scripts))
        self.assertEqual(len(COMMANDS), 6)

    def test_every_result_is_found_right(self):
        for command in COMMANDS:
            done = self.run_example(command, os.path.abspath(PROGRAM), code=0)
            self.assertEqual(done.stderr, "", command)
            self.assertIn("\nchecked: ", done.stdout, command)

    def test_another_value_is_found_wrong(self):
        liar = self.liar("result = ask(sys.argv[1:])\nchange_value(result)")
        for command in COMMANDS:
            self.assertIn("WRONG", self.run_example(command, liar, code=3).stderr)

    def test_a_report_that_cannot_be_followed_is_found_wrong(self):
        for name, change in [("rna", "result['report'] = result['report'].replace('(', '.', 1)"),
                             ("rna", "result['report'] = result['report'].replace(')', '.', 1)"),
                             ("chain", "result['report'] = result['report'][:2000]"),
                             ("bars", "result['report'] = '1 x 4711'")]:
            liar = self.liar(f"result = ask(sys.argv[1:])\n{change}")
            self.assertIn("WRONG", self.run_example(f"examples/gallery/{name}.py", liar, code=3).stderr)

    def test_what_is_not_the_best_is_found_wrong(self):
        liar = self.liar("result = ask(worsen(sys.argv[1:]))\nif sys.argv[2] == 'obst':\n    weigh_tree(result)")
        claims = {"till": "breadth-first", "bars": "no other choice", "chain": "nothing faster", "rna": "finds no more",
                  "words": "needs no fewer", "reverb": "the clap again"}
        for command in COMMANDS:
            name = re.sub(r".*/|\.py", "", command)
            if name not in SLOW or os.environ.get("PIPEDP_LONG"):
                self.assertIn(claims[name], self.run_example(command, liar, code=3).stderr)

    def test_bad_arguments_are_named(self):
        for name, text in {"prices": "# mm, cents\n700 12\n\n800 x\n", "none": "# nothing\n", "short": "a word\n"}.items():
            (self.folder / name).write_text(text)
        (self.folder / "bytes").write_bytes(b"\xff\xfe")
        for line, text in [
                ("till abc", "'abc' is not a whole number"), ("till -3", "-3 is less than 0"),
                ("till 1 2", "'2' is one argument too many"), ("chain x", "'x' is not a whole number"),
                ("chain 1 y", "'y' is one"), ("rna x", "'x' is not a whole number"), ("rna 1 y", "'y' is one"),
                ("bars /nope", "'/nope' cannot be read: No such file or directory"), ("bars a b", "'b' is one"),
                ("bars bytes", "'bytes' cannot be read: it is no text"), ("bars none", "'none' has no length and no price"),
                ("bars prices", "'prices', line 4: '800 x' is not a length in mm and a price in cents"),
                ("words /nope", "'/nope' cannot be read: No such file or directory"),
                ("words short", "no word occurs three times in short"),
                ("reverb /nodir/x.wav", "'/nodir/x.wav' cannot be written: No such file or directory"),
                ("reverb a b", "'b' is one argument too many")]:
            name, *arguments = line.split()
            done = self.run_example(f"examples/gallery/{name}.py", os.path.abspath(PROGRAM), 2, arguments)
            self.assertRegex(done.stderr, rf"^{name}\.py: {re.escape(text)}[^\n]*\n$", line)
        for command in COMMANDS:
            if "words" not in command:
                self.assertIn("'--x' is no option", self.run_example(command, "none", 2, ["--x"]).stderr)
                self.assertGreater(len(self.run_example(command, "none", 0, ["--help"]).stdout), 100)
        for line in ["till 0", "reverb x.wav"]:
            name, *arguments = line.split()
            self.run_example(f"examples/gallery/{name}.py", os.path.abspath(PROGRAM), 0, arguments)
        self.assertEqual((self.folder / "x.wav").read_bytes()[:4], b"RIFF")

    def test_a_missing_program_is_named(self):
        for command in COMMANDS:
            done = self.run_example(command, self.folder / "none", code=1)
            self.assertIn(str(self.folder / "none"), done.stderr)


if __name__ == "__main__":
    main()
