#!/usr/bin/env python3
"""docs/recurrences.md shows the built-in recurrences as they are; every recurrence in it and in README.md parses; every
one-line command of docs/recurrences.md, and every `pipedp solve`, `list` and `show` of README.md, runs.
    docs.py SOURCE_FOLDER PROGRAM"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

source, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
guide, readme = (source / "docs/recurrences.md").read_text(), (source / "README.md").read_text()
errors = []

shown = re.findall(r"```dp\n(.*?)```", guide, re.S)
for path in sorted((source / "src/recurrence/builtin").glob("*.dp")):
    if path.read_text() not in shown:
        errors.append(f"docs/recurrences.md does not show {path.name} as it is")

blocks = shown + re.findall(r"```dp\n(.*?)```", readme, re.S)
commands = re.findall(r"^pipedp ((?:solve|sdp|mcm) .*)$", guide, re.M)
commands += re.findall(r"^pipedp ((?:solve|list|show)\b.*)$", readme, re.M)
with tempfile.TemporaryDirectory() as folder:
    lines = [shlex.split(command, comments=True) for command in commands]
    for number, block in enumerate(blocks):
        path = pathlib.Path(folder) / f"{number}.dp"
        path.write_text(block)
        lines.append(["show", path])
    for line in lines:
        done = subprocess.run([program, *line], cwd=source, capture_output=True, text=True,
                              env=dict(os.environ, XDG_CACHE_HOME=folder))
        if done.returncode != 0:
            errors.append(f"pipedp {' '.join(map(str, line))}: {done.stderr}")

if len(blocks) < 18 or len(commands) < 18:
    errors.append(f"only {len(blocks)} recurrences and {len(commands)} commands were found")
print("\n".join(errors) or f"{len(blocks)} recurrences and {len(commands)} commands are good")
sys.exit(1 if errors else 0)
