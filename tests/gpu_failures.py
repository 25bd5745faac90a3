#!/usr/bin/env python3
"""Every call of the CUDA driver and of NVRTC fails once, with a stub in their place (stub_cuda.c): with `--backend cuda`
the program says which call it was and stops, with `--backend auto` the CPU gives the right value and a note says why.
Nothing stays open and nothing crashes. A call that only gives something back may fail unseen.

    gpu_failures.py PIPEDP STUB.so [--points 40] [--most 100]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("stub")
parser.add_argument("--points", type=int, default=40)
parser.add_argument("--most", type=int, default=100, help="calls that fail, of each problem; drawn if there are more")
options = parser.parse_args()
seed = int(os.environ.get("PIPEDP_SEED", "20240229"))
draw = random.Random(seed)
print(f"seed {seed} (PIPEDP_SEED)")

RECURRENCE = """interval piles
  input   w[n] >= 0
  size    n+1
  leaf    0
  term    l + r + w[k-1]
  finish  best + sum(w, i, j)
  combine min
"""
GIVING_BACK = {"cuMemFree_v2", "cuModuleUnload", "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2",
               "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "nvrtcDestroyProgram"}
QUIET = {"cuInit", "cuDriverGetVersion", "cuDeviceGet"}  # so far there is no device to tell of: auto is the CPU


def solve(problem, backend, **settings):
    """(exit code, stdout, stderr, the stub's log), with a copy of the cache that the problem has on the CPU."""
    with tempfile.TemporaryDirectory(prefix="pipedp-stub-") as folder:
        cache, log = pathlib.Path(folder, "cache"), pathlib.Path(folder, "log")
        if problem["cache"].exists():
            shutil.copytree(problem["cache"], cache)
        stub = str(pathlib.Path(options.stub).resolve())
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PIPEDP_CUDA_DRIVER": stub, "PIPEDP_NVRTC": stub,
                       "STUB_CUDA_LOG": str(log), "PIPEDP_GPU_TERMS": "0",
                       **{name: str(value) for name, value in settings.items()}}
        environment.pop("PIPEDP_COMPILE", None)
        result = subprocess.run(
            [options.program, "solve", problem["name"], "--input", f"w=@{problem['data']}", "--backend", backend,
             "--type", "i32", "--json"], env=environment, capture_output=True, text=True, timeout=120)
        what = f"{problem['name']} {backend} {settings}: {result.returncode} {result.stdout[:200]} {result.stderr}"
        assert result.returncode in (0, 1, 2), what
        stubbed = json.loads(log.read_text()) if log.exists() else None
        if stubbed:
            assert not any(stubbed["open"].values()), f"{what} {stubbed}"
        elif not problem["cache"].exists() and cache.exists():
            shutil.copytree(cache, problem["cache"])
        return result.returncode, result.stdout, result.stderr, stubbed


def is_from_cpu(problem, code, stdout, stderr, reason):
    if code != 0 or reason not in stderr:
        return False
    answer = json.loads(stdout)
    return answer["backend"] == "cpu" and answer["value"] == problem["value"]


def check_call(problem, backend, number, usual, **settings):
    """The call of that number fails; usual is the exit code when none does."""
    code, stdout, stderr, log = solve(problem, backend, STUB_CUDA_FAIL=number, **settings)
    failed = log["failed"]
    assert failed, f"{problem['name']} {backend}: there was no call {number}"
    if backend == "auto":
        is_good = is_from_cpu(problem, code, stdout, stderr, "" if failed in QUIET else failed)
    else:
        is_good = code in (1, 2) and stdout == "" and failed in stderr
    if not is_good:
        assert failed in GIVING_BACK and code == usual, \
            f"{problem['name']} {backend} {settings}, call {number}, {failed}: {code} {stdout[:200]} {stderr}"
    return is_good


def check_problem(problem):
    code, stdout, stderr, log = solve(problem, "cpu")
    assert code == 0 and log is None, f"the CPU does not solve {problem['name']}, or starts the driver: {stderr}"
    problem["value"] = json.loads(stdout)["value"]
    for backend, settings in (("cuda", {}), ("cuda", {"STUB_CUDA_CODE": 2}), ("auto", {})):
        usual, _, stderr, log = solve(problem, backend)
        assert log and log["launches"] > 0, f"{problem['name']} {backend} does not use the device: {stderr}"
        numbers = range(1, log["calls"] + 1)
        if len(numbers) > options.most:
            numbers = sorted(draw.sample(numbers, options.most))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            seen = sum(pool.map(lambda number: check_call(problem, backend, number, usual, **settings), numbers))
        assert seen > len(numbers) // 2, f"{problem['name']} {backend}: {seen} of {len(numbers)} were noticed"
        print(f"{problem['name']} {backend} {settings or ''}: {len(numbers)} of {log['calls']} calls failed, "
              f"{seen} were noticed")
    code, stdout, stderr, _ = solve(problem, "cuda", STUB_CUDA_MEMORY=1000)
    assert code in (1, 2) and "bytes of device memory" in stderr and "free" in stderr, stderr
    code, stdout, stderr, _ = solve(problem, "auto", STUB_CUDA_MEMORY=1000)
    assert is_from_cpu(problem, code, stdout, stderr, "bytes of device memory"), stderr


with tempfile.TemporaryDirectory(prefix="pipedp-stub-") as folder:
    data = pathlib.Path(folder, "piles.txt")
    data.write_text(" ".join(str(draw.randint(1, 1000)) for _ in range(options.points)))
    own = pathlib.Path(folder, "piles.dp")
    own.write_text(RECURRENCE)
    for number, name in enumerate(("merge", str(own))):
        check_problem({"name": name, "data": data, "cache": pathlib.Path(folder, f"cache{number}")})
