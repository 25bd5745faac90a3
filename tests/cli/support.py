"""Running the program, and .npy files without NumPy."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("PIPEDP", "build/release/tools/pipedp/pipedp")
CACHE = tempfile.TemporaryDirectory()  # for what is compiled, shared by the tests of a file
os.environ["XDG_CACHE_HOME"] = CACHE.name
DATA = pathlib.Path(__file__).resolve().parents[2] / "examples/data"


class CommandTest(unittest.TestCase):
    """Each test has a folder of its own, self.folder, in which the program runs."""

    maxDiff = 2000

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, *arguments, code=0, stdin=None, text=True, environment=None):
        """Runs the program, checks its exit code, and returns (stdout, stderr)."""
        result = subprocess.run(
            [PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=text, cwd=self.folder, timeout=120,
            env=dict(os.environ, **(environment or {})),
        )
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout!r} {result.stderr!r}")
        return result.stdout, result.stderr

    def run_json(self, *arguments, **options):
        stdout, _ = self.run_program(*arguments, "--json", **options)
        return json.loads(stdout)

    def refuse(self, *arguments, names, code=2, **options):
        """The program refuses: the exit code, every one of `names` in its message, nothing on stdout, no new file."""
        before = sorted(self.folder.rglob("*"))
        stdout, stderr = self.run_program(*arguments, code=code, **options)
        self.assertEqual(stdout, "", arguments)
        for name in names:
            self.assertIn(str(name), stderr, arguments)
        self.assertEqual(sorted(self.folder.rglob("*")), before, arguments)
        return stderr


def reads_json():
    """Whether the program was built with jansson, for pipedp verify."""
    result = subprocess.run([PROGRAM, "verify", "/dev/null"], capture_output=True, text=True)
    return "jansson" not in result.stderr


def read_npy(path):
    """(shape, values) of an int64, float64 or float32 .npy."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0 and data[10 + length - 1 : 10 + length] == b"\n"
    header = eval(data[10 : 10 + length].decode(), {}, {})  # a Python dict by the format's definition
    code, size = {"<i8": ("q", 8), "<f8": ("d", 8), "<f4": ("f", 4)}[header["descr"]]
    assert not header["fortran_order"], header
    body = data[10 + length :]
    assert len(body) % size == 0
    return header["shape"], list(struct.unpack(f"<{len(body) // size}{code}", body))


def write_npy(path, values, shape=None, descr="<i8", code="<q", version=1, body=None):
    """A .npy as NumPy would write it, or wrong in the ways asked for."""
    shape = (len(values),) if shape is None else shape
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header = (header + " " * (-(len(header) + 11) % 64) + "\n").encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    if body is None:
        body = b"".join(struct.pack(code, v) for v in values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY" + bytes([version, 0]) + length + header + body)


def main():
    unittest.main(verbosity=1)
