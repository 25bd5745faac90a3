#!/usr/bin/env python3
"""What ptxas makes of the main kernel of some built-in recurrences: its registers and spilled bytes stay within limits.
Where NVRTC is, it takes the texts too, which it reads more strictly than nvcc. Needs nvcc, but no GPU. Exit code 77:
skipped.

    ptxas.py STAMP
"""
import concurrent.futures
import ctypes
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
KERNELS = (("mcm", "i32", 168, 100), ("mcm", "f64", 255, 100), ("nussinov", "i32", 168, 100), ("knapsack", "i32", 128, 0),
           ("compositions_mod", "u32", 128, 0), ("filter", "f64", 128, 100))
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
    found = re.search(r"Compiling entry function 'pdp_(?:interval|linear)' for.*?(\d+) bytes spill stores, (\d+) bytes spill loads"
                      r".*?Used (\d+) registers", result.stderr, re.S)
    if result.returncode != 0 or not found:
        print(f"{name} {element}: nvcc gave {result.returncode}\n{result.stderr[:3000]}")
        return False
    stores, loads, registers = map(int, found.groups())
    is_good = registers <= most_registers and max(stores, loads) <= most_spills
    print(f"{name} {element}: {registers} registers (at most {most_registers}), {stores} bytes spilled and {loads} loaded "
          f"(at most {most_spills}){'' if is_good else ': too many'}")
    return is_good


# One of every kind of expression: sums, choices, folds, options, a modulus.
TEXTS = (("mcm", "i64"), ("nussinov", "i32"), ("cyk", "u64"), ("merge", "i64"), ("filter", "f64"),
         ("compositions_mod", "u32"))


def check_nvrtc(nvrtc, name, element, which, *more):
    with tempfile.TemporaryDirectory(prefix="pipedp-nvrtc-") as folder:
        path = pathlib.Path(folder, "kernel.cu")
        subprocess.run([stamp, name, element, "-", which, path], check=True)
        text = path.read_bytes()
    options = [b"-default-device", b"-std=c++17", b"-device-int128", b"-w", *(more or [b"--fdevice-syntax-only"])]
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None) == 0
    code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    print(f"{name} {element} {which}: NVRTC {'takes it' if code == 0 else log.value.decode()[:600]}")
    return code == 0 and log.value.decode()


# What a user's recurrence gets: no sum in local memory.
def check_own(nvrtc, name, element, most_registers):
    log = check_nvrtc(nvrtc, name, element, "-", b"-arch=sm_90", b"--fmad=false", b"-DPDP_ONLY_PART=0",
                      b"--ptxas-options=-v")
    found = re.search(r"(\d+) bytes spill stores.*?Used (\d+) registers", log or "", re.S)
    print(f"    {found.group(2)} registers (at most {most_registers}), {found.group(1)} bytes spilled" if found else "    -")
    return found and int(found.group(1)) == 0 and int(found.group(2)) <= most_registers


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, KERNELS))
library = next(pathlib.Path(nvcc).resolve().parent.parent.glob("lib64/libnvrtc.so"), None)
if library:
    nvrtc = ctypes.CDLL(str(library))
    for which in "-", "--": # the fastest kernels, and those that are soon compiled
        results += [check_nvrtc(nvrtc, name, element, which) is not False for name, element in TEXTS]
    results += [check_own(nvrtc, *kernel) for kernel in (("mcm", "i32", 168), ("mcm", "f64", 255))]
sys.exit(0 if all(results) else 1)
