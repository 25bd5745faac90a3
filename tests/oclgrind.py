#!/usr/bin/env python3
"""Small problems under oclgrind, which runs OpenCL kernels one instruction after the other and reports races between
threads, barriers that not all reach, and accesses outside of buffers. Every report is a failure, and so is a value other
than the CPU's. Exit code 77: skipped.

    oclgrind.py PIPEDP

The kernels are compiled without optimisation: LLVM turns accesses to an array of structs into ones that leave the
struct's own array, which oclgrind then reports. --uninitialized is not used: oclgrind does not know that
clEnqueueFillBuffer writes (the host run, whose memory starts as rubbish, looks for what is not set).
"""
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

program = str(pathlib.Path(sys.argv[1]).resolve())
if not shutil.which("oclgrind"):
    print("skipped: oclgrind is not installed")
    sys.exit(77)
if "OpenCL" not in subprocess.run([program, "info"], capture_output=True, text=True, check=True).stdout:
    print("skipped: built without OpenCL")
    sys.exit(77)
seed = int(os.environ.get("PIPEDP_SEED", "20240229"))
draw = random.Random(seed)
print(f"seed {seed} (PIPEDP_SEED)")

# With --local-mem-size for the memory of a group that GPUs have.
OCLGRIND = ["oclgrind", "--data-races", "--local-mem-size", "49152", "--build-options", "-cl-opt-disable",
            "--max-errors", "20"]
OWN = """interval own
  input   p[n]
  size    n
  leaf    p[i]
  empty   0
  term    max(l, r) + p[i]*p[k] - k*p[j]
  option  inside + p[j] if (i + j) % 3 == 0
  finish  best - sum(p, i, j)
  combine min
"""
RESIDUES = """interval residues
  type    mod P
  param   P >= 2 = 2305843009213693951
  input   p[n]
  size    n
  leaf    p[i]
  term    l*r + p[k]
  combine add
"""


def numbers(count, low=1, high=30):
    return ",".join(str(draw.randint(low, high)) for _ in range(count))


def interval(folder, n):
    own, residues = pathlib.Path(folder, "own.dp"), pathlib.Path(folder, "residues.dp")
    own.write_text(OWN)
    residues.write_text(RESIDUES)
    yield ["mcm", "--type", "i32", "--input", "p=" + numbers(n + 1)]
    yield [own, "--type", "i64", "--input", "p=" + numbers(n + 1)]
    yield ["obst", "--type", "f64", "--input", "p=" + numbers(n - 1), "--input", "q=" + numbers(n)]
    yield ["nussinov", "--input", "s=" + "".join(draw.choice("ACGU") for _ in range(n)), "--param", "loop=1"]
    yield [residues, "--input", "p=" + numbers(n + 1)]


def batch(folder):
    lines = pathlib.Path(folder, "lines.txt")
    lines.write_text("\n".join(numbers(points) for points in [20, 70, 2, 66, 20]))
    yield ["mcm", "--type", "i32", "--batch", lines]


def linear():
    yield ["sdp_added", "--type", "i32", "--param", "op=min", "--param", "n=300", "--input", "a=9,5,4,2,1", "--input",
           "w=" + numbers(5), "--input", "init=" + numbers(9)]
    yield ["sdp_added", "--type", "i32", "--param", "op=min", "--param", "n=900", "--input",
           "a=700,300,129,128,100,65,40", "--input", "w=" + numbers(7), "--input", "init=" + numbers(700)]
    yield ["compositions_mod", "--param", "total=100", "--param", "P=998244353", "--input", "part=1,2,3,5,8,13,21,34,55"]


def solve(command, arguments, cache):
    result = subprocess.run([*command, program, "solve", *arguments, "--json"], capture_output=True, text=True,
                            timeout=300, env={**os.environ, "XDG_CACHE_HOME": cache})
    return result.returncode, result.stdout, result.stderr


def values(stdout):
    results = json.loads(stdout)
    return [result["value"] for result in (results if isinstance(results, list) else [results])]


def check(arguments):
    start = time.monotonic()
    fault = run(arguments)
    print(f"{time.monotonic() - start:5.1f} s  {' '.join(map(str, arguments))[:60]}", flush=True)
    return fault


def run(arguments):
    with tempfile.TemporaryDirectory(prefix="pipedp-oclgrind-") as folder:
        log = pathlib.Path(folder, "log")
        code, stdout, stderr = solve([*OCLGRIND, "--log", log], [*arguments, "--backend", "opencl"], folder)
        reports = log.read_text() if log.exists() else ""
        if code != 0 or reports.strip():
            return f"{arguments}: exit code {code}\n{stderr}{reports[:3000]}"
        _, expected, stderr = solve([], [*arguments, "--backend", "cpu"], folder)
        if values(stdout) != values(expected):
            return f"{arguments}: {stdout} and on the CPU {expected}"
    return ""


with tempfile.TemporaryDirectory(prefix="pipedp-oclgrind-") as own_files:
    problems = list(interval(own_files, 20))
    problems += list(interval(own_files, 70))[1:2]  # several tiles, as in the batch: many seconds
    problems += list(batch(own_files))
    problems += list(linear())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(check, problems) if fault]
print("\n".join(faults))
print(f"{len(problems)} problems, {len(faults)} with faults")
sys.exit(1 if faults else 0)
