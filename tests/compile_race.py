#!/usr/bin/env python3
"""Many processes that want the same module at once, with nothing in the cache: all get it and get it right, and one
entry stays, and nothing else. Then the same with some of them killed on the way.

    compile_race.py UNIT_COMPILE [--rounds 20] [--processes 16]
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--processes", type=int, default=16)
options = parser.parse_args()
seed = int(os.environ.get("PIPEDP_SEED", "20240229"))
draw = random.Random(seed)
print(f"seed {seed} (PIPEDP_SEED)")


def start(folder, number, count):
    """Processes that wait for each other: they go when the pipe they read from is closed."""
    environment = {**os.environ, "XDG_CACHE_HOME": folder}
    environment.pop("CC", None)
    environment.pop("PIPEDP_COMPILE", None)
    reading, writing = os.pipe()
    processes = [subprocess.Popen([options.program, str(number)], stdin=reading, stdout=subprocess.PIPE,
                                  env=environment, text=True) for _ in range(count)]
    os.close(reading)
    os.close(writing)
    return processes


def finish(process, number):
    """Its answer must be right; returns whether it found it in the cache."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    answer, how = output.split()
    assert int(answer) == number, output
    return how == "cached"


def entries(folder):
    return sorted(path.name for path in pathlib.Path(folder, "pipedp").iterdir())


compiled = 0
for number in range(1, options.rounds + 1):
    with tempfile.TemporaryDirectory(prefix="pipedp-race-") as folder:
        found = [finish(process, number) for process in start(folder, number, options.processes)]
        assert not all(found), "nobody compiled"
        compiled += found.count(False)
        assert len(entries(folder)) == 1 and entries(folder)[0].endswith(".so"), entries(folder)
        assert finish(start(folder, number, 1)[0], number), "not cached after the race"
print(f"{options.rounds} rounds of {options.processes}: {compiled} compiled, all right")

killed = 0
for number in range(1, options.rounds // 4 + 1):
    with tempfile.TemporaryDirectory(prefix="pipedp-race-", ignore_cleanup_errors=True) as folder:
        processes = start(folder, number, options.processes)
        victims = processes[: options.processes // 2]
        for victim in victims:
            time.sleep(draw.uniform(0, 0.03))
            victim.send_signal(signal.SIGKILL)
        for victim in victims:
            victim.communicate()
            killed += victim.returncode == -signal.SIGKILL
        for process in processes[len(victims):]:
            finish(process, number)
        left = entries(folder)  # of the killed, their work folders, until these are old
        assert sum(name.endswith(".so") for name in left) == 1, left
        assert all(name.endswith(".so") or name.startswith("work-") for name in left), left
        assert finish(start(folder, number, 1)[0], number), "not cached after the race"
        time.sleep(0.2)  # compilers that lost their caller still write
print(f"{killed} killed on the way, all others right")
