#!/usr/bin/env python3
"""Installs into a temporary folder and builds examples/chain.c against it, the way a stranger would: once by
pkg-config, once as a CMake package (shared and static). Each program must print the textbook's answer."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:3])
if not shutil.which("pkg-config"):
    print("skipped: pkg-config is not installed")
    sys.exit(77)


def run(*command, **options):
    print("+", *command)
    return subprocess.run([str(c) for c in command], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def expect(text):
    print(text)
    assert "15125" in text and "((A1(A2A3))((A4A5)A6))" in text, "not the textbook's answer"


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    library = next(prefix.glob("lib*/**/pkgconfig")).parent

    # The program itself, where it was installed.
    expect(run(prefix / "bin/pipedp", "mcm", *"30 35 15 5 10 20 25".split()))

    # pkg-config, also for a program that needs no shared library of ours.
    environment = dict(os.environ, PKG_CONFIG_PATH=str(library / "pkgconfig"))
    flags = run("pkg-config", "--cflags", "--libs", "pipedp", env=environment)
    run("cc", source / "examples/chain.c", "-o", folder / "by_pkg_config", *flags.split())
    expect(run(folder / "by_pkg_config", env=dict(os.environ, LD_LIBRARY_PATH=str(library))))
    flags = run("pkg-config", "--static", "--cflags", "--libs", "pipedp", env=environment)
    flags = flags.replace("-lpipedp", str(library / "libpipedp.a"))
    run("cc", source / "examples/chain.c", "-o", folder / "by_static_pkg_config", *flags.split())
    expect(run(folder / "by_static_pkg_config"))

    # The CMake package.
    outside = folder / "outside"
    outside.mkdir()
    shutil.copy(source / "examples/chain.c", outside)
    (outside / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(outside C)\nfind_package(pipedp 0.1 REQUIRED)\n"
        "foreach(kind shared static)\n  add_executable(by_${kind} chain.c)\n"
        "  target_link_libraries(by_${kind} PRIVATE pipedp::pipedp_${kind})\nendforeach()\n"
    )
    run("cmake", "-S", outside, "-B", outside / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", outside / "build")
    for kind in ["shared", "static"]:
        expect(run(outside / "build" / f"by_{kind}"))

    # The shared library has a soname and shows nothing but the public functions.
    names = run("nm", "-D", "--defined-only", library / "libpipedp.so").split()
    foreign = [n for n in names[2::3] if not n.startswith("pdp_")]
    assert not foreign, f"foreign symbols: {foreign}"
    assert "libpipedp.so.0" in run("readelf", "-d", library / "libpipedp.so")
print("installed and used by pkg-config and by CMake")
