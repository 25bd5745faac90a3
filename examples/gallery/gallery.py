"""What the examples share: their arguments, pipedp found and run, the result checked, rows of numbers held in one large
integer."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_program():
    """$PIPEDP, or the newest build of this folder, or what PATH has."""
    if "PIPEDP" in os.environ:
        return shutil.which(os.environ["PIPEDP"]) or stop(1, f"PIPEDP is {os.environ['PIPEDP']}, which is no program")
    built = [path for name in ("demo", "release", "gcc", "clang")
             if (path := ROOT / "build" / name / "tools/pipedp/pipedp").is_file()]
    program = max(built, key=lambda path: path.stat().st_mtime, default=None) or shutil.which("pipedp")
    if program is None:
        stop(1, "pipedp was not found: not in build/ (./demo builds it), not in PATH; or set PIPEDP to where it is")
    return program


def stop(code, message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def argument(otherwise):
    """The one argument that may be given, or `otherwise`."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(sys.modules["__main__"].__doc__)
        sys.exit(0)
    if len(sys.argv) > 1 and sys.argv[1].startswith("--"):
        stop(2, f"'{sys.argv[1]}' is no option; there is --help")
    if len(sys.argv) > 2:
        stop(2, f"'{sys.argv[2]}' is one argument too many")
    return sys.argv[1] if len(sys.argv) > 1 else otherwise


def whole_argument(otherwise, least=None):
    text = argument(otherwise)
    try:
        number = int(text)
    except ValueError:
        stop(2, f"'{text}' is not a whole number")
    return number if least is None or number >= least else stop(2, f"{number} is less than {least}")


def read_text(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        stop(2, f"'{path}' cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}")


def solve(recurrence, inputs, *options):
    """Runs `pipedp solve`, shows the command, and returns what its --json says. Long inputs go through files."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        for name, values in inputs.items():
            text = values if isinstance(values, str) else ",".join(map(repr, values))
            if len(text) > 60:
                (pathlib.Path(folder) / f"{name}.txt").write_text(text)
                text = f"@{name}.txt"
            arguments += ["--input", f"{name}={text}"]
        arguments += options
        program = find_program()
        print("$ pipedp solve", str(recurrence).replace(f"{ROOT}{os.sep}", ""), *arguments)
        command = [os.path.abspath(program), "solve", recurrence, *arguments, "--json"]
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE)
        if done.returncode != 0:
            stop(1, f"{program} ended with exit code {done.returncode}")
        return json.loads(done.stdout)


def items(report):
    """The numbers of a report of items: [20, 20, 1] for `2 x 20 + 1 x 1`."""
    parts = [part.split(" x ") for part in report.split(" + ") if " x " in part]
    return [int(item) for count, item in parts for _ in range(int(count))]


def check(right, claim):
    """Says what was found to be true; ends with exit code 3 if it is not."""
    if not right:
        stop(3, f"WRONG, this does not hold: {claim}")
    print(f"checked: {claim}")


def understand(reading, report):
    """What `reading` makes of a report; one that it cannot follow is wrong."""
    try:
        return reading(report)
    except (LookupError, ValueError):
        stop(3, f"WRONG, this cannot be followed: {report[:60]}")


class Lanes:
    """Rows of numbers, each in a lane of one large integer, so that one operation of Python works on a whole row. The
    first number is in the lowest bits; the top bit of a lane stays free."""

    def __init__(self, size, most):
        self.size, self.bits, self.mask = size, 8 * size, (1 << 8 * size) - 1
        self.ones = [int.from_bytes((b"\1" + bytes(size - 1)) * n, "little") for n in range(most + 1)]
        self.free = [ones << self.bits - 1 for ones in self.ones]

    def pack(self, numbers):
        return int.from_bytes(b"".join(number.to_bytes(self.size, "little") for number in numbers), "little")

    def excess(self, a, b, count):
        """max(a - b, 0) in each of `count` lanes: so max(a, b) is b + excess, and min(a, b) is a - excess."""
        difference = (a | self.free[count]) - b  # the top bit stays where a >= b
        kept = difference & self.free[count]
        return difference & (kept - (kept >> self.bits - 1))
