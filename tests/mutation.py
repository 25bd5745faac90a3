#!/usr/bin/env python3
"""Does the suite notice faults? Plants one fault at a time and runs the tests.

Faults come from a seed, evenly over the classes below, over the solvers, schedules and parsers. A fault
is killed if the tests fail, crash or time out, in a plain build or, if it survives that, in one with ASan
and UBSan (unless it is explained); one that does not compile is drawn anew. The tests that killed are run without
any fault at the end. At least 90 % must be killed, and every survivor must
be explained in docs/testing.md, by the line that this script prints for it.

    tests/mutation.py [--seed S] [--count N] [--list]
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import queue
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
# The files, and the tests that are theirs: a fault has to be noticed by those.
PARSERS = "unit_numbers|unit_npy|cli_"
PAPER = "unit_plan|unit_sdp|unit_mcm|unit_schedule|unit_checker|unit_paper|cli_trace|cli_sdp|cli_mcm"
LANGUAGE = "unit_language|unit_interpret|unit_generated|unit_builtins|unit_problem|unit_plan|unit_memory|docs|cli_solve"
ENGINES = "unit_engines|unit_builtins|unit_hu_shing|unit_knuth|unit_generated|cli_solve"
LINES = "unit_linear_methods|unit_memory"
SUMS = "unit_sums|unit_window|unit_memory|cli_sdp"
CHECKS = "unit_certify|cli_verify"
FILES = {
    "src/core/npy.c": PARSERS, "src/core/numbers.c": PARSERS, "tools/pipedp/option_value.c": PARSERS,
    "src/problem/operator.h": PAPER, "src/reference/mcm.c": PAPER, "src/reference/sdp.c": PAPER,
    "src/schedule/checker.c": PAPER, "src/schedule/layout.h": PAPER, "src/schedule/machine.c": PAPER,
    "src/schedule/mcm.c": PAPER, "src/schedule/round.c": PAPER, "src/schedule/schedule.c": PAPER,
    "src/schedule/sdp.c": PAPER, "src/schedule/term_order.h": PAPER,
    "src/solution/order.c": f"{PAPER}|unit_engines",
    "src/problem/problem.c": f"{LANGUAGE}|{PAPER}", "src/problem/binding.c": LANGUAGE, "src/problem/bound.c": f"{LANGUAGE}|{ENGINES}",
    "src/recurrence/lexer.c": LANGUAGE, "src/recurrence/parser.c": LANGUAGE, "src/recurrence/checker.c": LANGUAGE,
    "src/recurrence/ranges.c": LANGUAGE, "src/recurrence/combine.c": LANGUAGE, "src/recurrence/interpret.c": LANGUAGE,
    "src/recurrence/canonise.c": LANGUAGE, "src/recurrence/emit.c": f"{LANGUAGE}|{ENGINES}",
    "src/recurrence/emit_expression.c": f"{LANGUAGE}|{ENGINES}",
    "src/reference/recurrence.c": LANGUAGE, "src/solution/decisions.c": f"{LANGUAGE}|{ENGINES}",
    "src/solution/witness.c": CHECKS, "src/solution/witness_sums.c": CHECKS, "src/solution/witness_far.c": f"{CHECKS}|unit_sums", "src/solution/witness_steps.c": f"{CHECKS}|unit_sums",
    "src/solution/arcs.c": f"{CHECKS}|unit_hu_shing", "src/reference/mcm_cost.c": f"{CHECKS}|unit_hu_shing", "src/plan/rates.c": "unit_cost|cli_bench", "tools/pipedp/saved.c": CHECKS,
    "src/solution/tiles.h": ENGINES, "src/schedule/tile_trace.h": ENGINES, "src/cpu/interval.c": ENGINES, "src/cpu/linear.c": ENGINES,
    "src/cpu/settle.c": LINES, "src/cpu/runs.c": LINES, "src/cpu/runs_body.h": LINES, "src/cpu/offset_set.c": LINES,
    "src/plan/method_linear.c": LINES, "src/cpu/hu_shing.c": ENGINES, "src/cpu/knuth.c": ENGINES, "src/cpu/kernel_interval.h": ENGINES, "src/cpu/kernel_linear.h": ENGINES,
    "src/problem/linear_form.c": SUMS, "src/cpu/ntt.c": SUMS, "src/cpu/ntt_kernel.c": SUMS, "src/cpu/ring.c": SUMS,
    "src/cpu/series.c": SUMS, "src/cpu/bostan_mori.c": SUMS, "src/cpu/window.c": SUMS,
    "src/plan/method_sums.c": SUMS, "src/plan/method_window.c": SUMS,
}
# Lines whose only effect is on speed or on how far a run says it is: no test can or should notice.
HARMLESS = re.compile(r"pdp_progress_tell|s->work\b|double share|report_every|\btold\b|double rest|__attribute__|realloc\(text")
KILL_RATE = 0.9
TEST_SECONDS = 200  # the longest take 60, and the machine may have others to serve

# class -> list of (pattern, replacement); a pattern is applied at one place at a time.
CLASSES = {
    "bound off by one": [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > ")],
    "comparison turned": [(r" < ", " > "), (r" > ", " < "), (r" == ", " != "), (r" != ", " == ")],
    "min for max": [(r"(\w[\w\[\].>-]*) < (\w[\w\[\].>-]*) \? \1 : \2", r"\1 < \2 ? \2 : \1"),
                    (r"(\w[\w\[\].>-]*) > (\w[\w\[\].>-]*) \? \1 : \2", r"\1 > \2 ? \2 : \1")],
    "constant off by one": [(r"(?<=[-+] )1\b", "2"), (r"(?<=[-+] )1\b", "0"), (r"(?<== )0;", "1;"), (r"(?<== )1;", "2;")],
    "wrong arithmetic": [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "), (r" % ", " / ")],
    "wrong logic": [(r" && ", " || "), (r" \|\| ", " && "), (r"(?<=\()!", "")],
    "dropped check": [(r"(?<=^    )if \((.*)\) \{$", "if (0) {"), (r"(?<=^        )if \((.*)\) \{$", "if (0) {")],
    "dropped statement": [(r"^( +)(?!return|break|continue|const|size_t|u?int\d+_t|bool|char|free|pdp_wide)"
                           r"[\w\[\].>*+-]+ [-+|]?= [^;]*;$", r"\1;"), (r"^( +)[\w>.\[\]-]+(\+\+|--);$", r"\1;")],
    "order of terms": [(r"\? (\w+) : (\w+);", r"? \2 : \1;"), (r"\(([a-z]), ([a-z])\)", r"(\2, \1)")],
}


class Fault:
    def __init__(self, kind, path, line, before, after):
        self.kind, self.path, self.line, self.before, self.after = kind, path, line, before, after

    def is_explained(self):
        return str(self) in (ROOT / "docs/testing.md").read_text()

    def __str__(self):
        return f"{self.path}: `{self.before.strip()}` -> `{self.after.strip()}`"


def code_lines(text):
    """(number, line) of the lines that are code, without comments."""
    inside = False
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if inside or stripped.startswith("/*"):
            inside = "*/" not in stripped
            continue
        if stripped and not stripped.startswith(("#", "//", "*")) and not HARMLESS.search(line):
            yield number, line


def all_faults():
    """Every fault there is, by class, in a fixed order."""
    faults = {kind: [] for kind in CLASSES}
    for path in FILES:
        for number, line in code_lines((ROOT / path).read_text()):
            comment = line.find("/*")
            code = line if comment < 0 else line[:comment]
            for kind, rules in CLASSES.items():
                for pattern, replacement in rules:
                    for match in re.finditer(pattern, code):
                        if code[: match.start()].count('"') % 2:
                            continue  # inside a string
                        after = code[: match.start()] + match.expand(replacement) + line[match.end():]
                        if after != line:
                            faults[kind].append(Fault(kind, path, number, line, after))
    return faults


def draw(seed):
    """All faults in the order in which they are tried: a class after the other, within each by a hash of seed and
    fault. So a change to the sources changes the draw only where it changes the lines themselves."""
    lists = [sorted(items, key=lambda f: hashlib.sha256(f"{seed} {f.kind} {f}".encode()).digest(), reverse=True)
             for items in all_faults().values()]
    while any(lists):
        for items in lists:
            if items:
                yield items.pop()


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_build():
    """What writes the kernels' text reads recurrences: a fault may make it read for ever."""
    limit()
    resource.setrlimit(resource.RLIMIT_CPU, (200, 200))


def limit_memory():
    limit()
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


class Tree:
    """A copy of the project with builds of its own."""

    def __init__(self, number):
        self.folder = WORK / f"tree{number}"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ROOT, self.folder, ignore=shutil.ignore_patterns("build", ".git"))
        self.builds = {"plain": "", "sanitized": "address,undefined"}
        self.killers = {build: set() for build in self.builds}
        for build, sanitizers in self.builds.items():
            self.run("cmake", "-S", self.folder, "-B", self.folder / build, "-DCMAKE_BUILD_TYPE=Release",
                     "-DCMAKE_C_FLAGS_RELEASE=-O1", f"-DPIPEDP_SANITIZE={sanitizers}",
                     f"-DPIPEDP_TEST_SECONDS={TEST_SECONDS}", "-DPIPEDP_LEVELS=v3", "-DPIPEDP_CUDA=OFF")

    def run(self, *command, timeout=1800, before=limit):
        environment = dict(os.environ, ASAN_OPTIONS="hard_rss_limit_mb=8000")  # it maps terabytes: no other limit fits
        try:
            return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=timeout, preexec_fn=before, env=environment)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "timed out")

    def test(self, regex, builds, parallel=1):
        """'does not compile', 'killed by TEST' or 'survived'."""
        for build in builds:
            if self.run("cmake", "--build", self.folder / build, before=limit_build).returncode != 0:
                return "does not compile"
            tests = self.run("ctest", "--test-dir", self.folder / build, "--stop-on-failure", "--timeout", TEST_SECONDS,
                             "--parallel", parallel,
                             "--tests-regex", regex, "--exclude-regex", "cli_general|cli_output",
                             before=limit_memory if build == "plain" else limit)
            if tests.returncode != 0:
                name = re.search(r"Test +#\d+: (\S+) \.*\**(?:Failed|Timeout|Exception|Subprocess|\*)", tests.stdout)
                self.killers[build].add(name.group(1) if name else ".")
                return f"killed by {name.group(1) if name else 'the suite'}" + (", sanitized" if build != "plain" else "")
        return "survived"

    def try_fault(self, fault):
        path = self.folder / fault.path
        original = path.read_text()
        lines = original.splitlines()
        lines[fault.line] = fault.after
        path.write_text("\n".join(lines) + "\n")
        try:
            outcome = self.test(FILES[fault.path], ["plain"])
            return outcome if outcome != "survived" or fault.is_explained() else self.test(FILES[fault.path], ["sanitized"])
        finally:
            path.write_text(original)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--list", action="store_true", help="only count the faults there are")
    arguments = arguments.parse_args()
    if arguments.list:
        for kind, items in all_faults().items():
            print(f"{len(items):5} {kind}")
        return 0

    WORK.mkdir(parents=True, exist_ok=True)
    trees = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool:
        for tree in pool.map(Tree, range(arguments.workers)):
            trees.put(tree)
        def attempt(fault):
            tree = trees.get()
            try:
                return fault, tree.try_fault(fault)
            finally:
                trees.put(tree)

        faults = draw(arguments.seed)
        results = []
        while len(results) < arguments.count:
            batch = [f for f, _ in zip(faults, range(arguments.count - len(results)))]
            if not batch:
                break
            for fault, outcome in pool.map(attempt, batch):
                print(f"{fault.kind:20} {outcome:30} {fault}", flush=True)
                if outcome != "does not compile":
                    results.append((fault, outcome))

        # A test that fails without a fault kills nothing.
        tree, *others = [trees.get() for _ in range(arguments.workers)]
        for build in tree.builds:
            killers = set().union(*(t.killers[build] for t in [tree, *others]))
            outcome = tree.test(f"^({'|'.join(killers)})$", [build], arguments.workers) if killers else "survived"
            if outcome != "survived":
                print(f"without any fault, {build}: {outcome}")
                return 1

    survivors = [fault for fault, outcome in results if outcome == "survived"]
    unexplained = [fault for fault in survivors if not fault.is_explained()]
    killed = len(results) - len(survivors)
    print(f"mutants: {len(results)} from seed {arguments.seed}, {killed} killed ({100 * killed / len(results):.0f} %)")
    for fault in survivors:
        print(f"  survived{'' if fault not in unexplained else ', unexplained'}: {fault}")
    return 0 if killed >= KILL_RATE * len(results) and not unexplained and len(results) >= arguments.count else 1


if __name__ == "__main__":
    sys.exit(main())
