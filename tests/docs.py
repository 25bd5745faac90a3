#!/usr/bin/env python3
"""The documents show the built-in recurrences as they are, every recurrence in them parses, and every one-line
command of docs/recurrences.md and README.md that solves something runs.
    docs.py SOURCE_FOLDER PROGRAM"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

source, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
text = (source / "docs/recurrences.md").read_text()
errors = []

blocks = re.findall(r"```dp\n(.*?)```", text, re.S)
for path in sorted((source / "src/recurrence/builtin").glob("*.dp")):
    if path.read_text() not in blocks:
        errors.append(f"docs/recurrences.md does not show {path.name} as it is")

with tempfile.TemporaryDirectory() as folder:
    for number, block in enumerate(blocks):
        path = pathlib.Path(folder) / f"{number}.dp"
        path.write_text(block)
        shown = subprocess.run([program, "show", path], capture_output=True, text=True)
        if shown.returncode != 0:
            errors.append(f"block {number} of docs/recurrences.md: {shown.stderr}")

    commands = re.findall(r"^pipedp ((?:solve|sdp|mcm) .*)$", text, re.M)
    commands += re.findall(r"^pipedp (solve .*?)(?:  +#.*)?$", (source / "README.md").read_text(), re.M)
    for command in commands:
        done = subprocess.run([program, *shlex.split(command, comments=True)], cwd=source, capture_output=True, text=True)
        if done.returncode != 0:
            errors.append(f"pipedp {command}: {done.stderr}")

print("\n".join(errors) or f"{len(blocks)} recurrences and {len(commands)} commands are good")
sys.exit(1 if errors else 0)
