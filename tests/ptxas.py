#!/usr/bin/env python3
"""What ptxas makes of the main kernel of some built-in recurrences: its registers and spilled bytes stay within limits.
Needs nvcc, but no GPU. Exit code 77: skipped.

    ptxas.py STAMP
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Registers: what the second number in the kernel's head (KERNEL(pdp_interval, 128, m)) leaves for m groups of 128
# threads from the 65,536 of a multiprocessor: the rates of docs/performance.md rest on so many groups. Spills: what
# ptxas keeps in local memory outside of the main loop costs nothing; more than this is sums that no longer fit.
KERNELS = (("mcm", "i32", 168, 100), ("mcm", "f64", 255, 100), ("nussinov", "i32", 168, 100))
stamp = str(pathlib.Path(sys.argv[1]).resolve())
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
if not nvcc:
    print("skipped: nvcc is not installed")
    sys.exit(77)


def check(kernel):
    name, element, most_registers, most_spills = kernel
    with tempfile.TemporaryDirectory(prefix="pipedp-ptxas-") as folder:
        text, image = pathlib.Path(folder, "kernel.cu"), pathlib.Path(folder, "kernel.cubin")
        subprocess.run([stamp, name, element, "-", "-", text], check=True)
        result = subprocess.run([nvcc, "-w", "-arch=sm_90", "-fmad=false", "-std=c++17", "-Xptxas", "-v", "-cubin", text,
                                 "-o", image], capture_output=True, text=True)
    found = re.search(r"Compiling entry function 'pdp_interval' for.*?(\d+) bytes spill stores, (\d+) bytes spill loads"
                      r".*?Used (\d+) registers", result.stderr, re.S)
    if result.returncode != 0 or not found:
        print(f"{name} {element}: nvcc gave {result.returncode}\n{result.stderr[:3000]}")
        return False
    stores, loads, registers = map(int, found.groups())
    is_good = registers <= most_registers and max(stores, loads) <= most_spills
    print(f"{name} {element}: {registers} registers (at most {most_registers}), {stores} bytes spilled and {loads} loaded "
          f"(at most {most_spills}){'' if is_good else ': too many'}")
    return is_good


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, KERNELS))
sys.exit(0 if all(results) else 1)
