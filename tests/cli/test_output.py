"""Output files appear whole or not at all; what cannot be done has exit code 1."""
import fcntl
import os
import pathlib
import pty
import resource
import signal
import subprocess
import termios
import time
import unittest

from support import PROGRAM, CommandTest, main, read_npy

CHAIN = ["mcm", "30", "35", "15", "5", "10", "20", "25"]
SLOW = ["mcm", "--random", "9000", "--algorithm", "tiles", "--threads", "1"]  # many seconds
SLOW_LINE = ["sdp", "--random", "3000000", "--k", "1000000", "--threads", "1", "--algorithm", "blocks"]


class Output(CommandTest):
    def test_older_files_survive_every_failure(self):
        old = self.folder / "t.npy"
        old.write_text("old")
        # Bad input, an overflow, a second output that cannot be written, no memory.
        self.refuse("mcm", 1, 0, "--table", "t.npy", names=["dimension 2"])
        self.refuse("sdp", "--op", "add", "--offsets", "2,1", "--init", "1,1", "-n", 200, "--table", "t.npy",
                    names=["cell 92"], code=1)
        self.refuse(*CHAIN, "--table", "t.npy", "--order", "missing/o.txt", names=["missing/o.txt"], code=1)
        self.refuse(*CHAIN, "--table", "t.npy", "--memory", "100", names=["bytes", "100"], code=1)
        self.assertEqual(old.read_text(), "old")

    def test_replacing_a_file(self):
        (self.folder / "t.npy").write_text("old")
        self.run_program(*CHAIN, "--table", "t.npy")
        self.assertEqual(read_npy(self.folder / "t.npy")[0], (7, 7))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.npy"])

    def test_unwritable(self):
        (self.folder / "sub").mkdir()
        self.refuse(*CHAIN, "--table", "sub", names=["'sub'"], code=1)
        self.refuse(*CHAIN, "--order", "/dev/full", names=["'/dev/full'"], code=1)
        self.refuse("trace", *CHAIN, "--output", "no/where.svg", "--format", "svg", names=["'no/where.svg'"], code=1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_standard_output(self):
        for arguments in [CHAIN, ["trace", *CHAIN], ["info"], ["--help"], ["mcm", "--help"]]:
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn("cannot be written", result.stderr)

    def test_a_failure_of_one_output_leaves_all_the_others(self):
        (self.folder / "t.npy").write_text("old")
        self.refuse(*CHAIN, "--table", "t.npy", "--order", "/dev/full", names=["'/dev/full'"], code=1)
        self.assertEqual((self.folder / "t.npy").read_text(), "old")
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, *CHAIN, "--table", "t.npy"], stdout=full, stderr=subprocess.PIPE,
                                    cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertEqual((self.folder / "t.npy").read_text(), "old")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.npy"])

    def test_standard_output_by_name_is_not_replaced(self):
        (self.folder / "log").write_text("precious\n")
        with open(self.folder / "log", "a") as log:
            subprocess.run([PROGRAM, *CHAIN, "--order", "/dev/stdout"], stdout=log, check=True, cwd=self.folder)
        text = (self.folder / "log").read_text()
        self.assertTrue(text.startswith("precious\n"))
        self.assertIn("((A1(A2A3))((A4A5)A6))\n", text)
        self.assertIn("15125", text)

    def test_a_signal_leaves_no_temporary_file(self):
        (self.folder / "t.npy").write_text("old")
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            process = subprocess.Popen([PROGRAM, *SLOW, "--table", "t.npy", "--order", "o.txt"], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            deadline = time.monotonic() + 20
            while len(list(self.folder.iterdir())) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=30), (b"", b""))
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual([(p.name, p.read_text()) for p in self.folder.iterdir()], [("t.npy", "old")])

    def test_a_closed_pipe_or_a_limit_leaves_no_file(self):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.Popen([PROGRAM, *CHAIN, "--table", "t.npy"], cwd=self.folder, stdout=writing,
                                   stderr=subprocess.PIPE)
        os.close(writing)
        self.assertEqual(process.communicate(timeout=30)[1], b"")
        self.assertEqual(process.returncode, 128 + signal.SIGPIPE)
        self.assertEqual(list(self.folder.iterdir()), [])
        result = subprocess.run([PROGRAM, "mcm", "--random", "300", "--table", "t.npy"], cwd=self.folder,
                                capture_output=True, text=True,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000)))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("'t.npy' cannot be written", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_every_method_and_problem_hears_a_signal(self):
        zeros = ",".join(["0"] * 20000)
        for slow in [SLOW, [*SLOW[:3], "--algorithm", "sequential"], [*SLOW[:3], "--algorithm", "wavefront"],
                     ["solve", "merge", "--input", f"w={zeros}"], ["trace", "mcm", "--random", "1500", "--summary"],
                     ["solve", "nussinov", "--input", "s=" + "ACGU" * 500, "--algorithm", "sequential"],
                     SLOW_LINE, [*SLOW_LINE[:5], "--algorithm", "sequential"]]:
            process = subprocess.Popen([PROGRAM, *slow], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            while not self.catches(process, signal.SIGINT):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            self.assertEqual(process.communicate(timeout=60), (b"", b""), slow)
            self.assertEqual(process.returncode, 130, slow)
            self.assertLess(time.monotonic() - started, 10, slow)

    def test_a_signal_while_the_compiler_is_at_work(self):
        compiler = self.folder / "slow_cc"
        compiler.write_text(f"#!/bin/sh\ntouch {self.folder}/started\nexec sleep 60\n")
        compiler.chmod(0o700)
        (self.folder / "own.dp").write_text("interval own\n  input w[n]\n  size n+1\n  leaf w[i]\n"
                                            "  term max(l, 2*r)\n  combine min\n")
        before = sorted(p.name for p in self.folder.iterdir())
        process = subprocess.Popen([PROGRAM, "solve", "own.dp", "--input", "w=" + ",".join(["3"] * 900), "--table", "t"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True,
                                   env=dict(os.environ, CC=str(compiler), XDG_CACHE_HOME=str(self.folder / "cache")))
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 20
        while not (self.folder / "started").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as the key does
        self.assertEqual(process.communicate(timeout=30), (b"", b""))
        self.assertEqual(process.returncode, 130)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), sorted([*before, "cache", "started"]))
        self.assertEqual(list((self.folder / "cache" / "pipedp").iterdir()), [])

    def catches(self, process, number):
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        return process.poll() is not None or int(status.get("SigCgt", "0"), 16) >> (number - 1) & 1 == 1

    def test_names_that_look_like_numbers(self):
        self.run_program(*CHAIN, "--table", "-5")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["-5"])

    def test_memory_limit_names_the_bytes(self):
        message = self.refuse("mcm", "--random", 1000, "--algorithm", "sequential", "--memory", "1M", names=["1048576"],
                              code=1)
        self.assertIn("needs 8", message)  # 8 * 1001^2 and a little
        self.run_program("mcm", "--random", 100, "--algorithm", "sequential", "--memory", "1M")
        self.refuse("mcm", "--random", 1000, "--table", "t.npy", "--memory", "1M", names=["'tiles'", "1048576"], code=1)
        self.run_program("mcm", "--random", 1000, "--memory", "1M")  # no table

    def on_terminal(self, *arguments, **environment):
        """What the program writes when its output is a terminal."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([PROGRAM, *arguments], stdout=follower, stderr=follower, cwd=self.folder,
                                   env=dict(os.environ, TERM="xterm", **environment))
        os.close(follower)
        text = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        os.close(leader)
        self.assertEqual(process.wait(), 0)
        return text.decode()

    def test_terminal_gets_colour_unless_no_color(self):
        trace = ["trace", "sdp", "--offsets", "4,3,2,1", "--init", "5,3,8,6", "-n", "9"]
        self.assertIn("\x1b[", self.on_terminal(*trace))
        self.assertNotIn("\x1b[", self.on_terminal(*trace, NO_COLOR="1"))
        self.assertNotIn("\x1b[", self.run_program(*trace)[0])

    def test_long_order_is_cut_on_a_terminal(self):
        shown = self.on_terminal("mcm", "--random", "300")
        self.assertIn("... (", shown)
        self.assertLess(len(shown), 700)

    def test_progress_is_for_terminals(self):
        slow = ["selftest", "--seconds", "1.5"]
        self.assertIn("%", self.on_terminal(*slow))
        _, stderr = self.run_program(*slow)
        self.assertEqual(stderr, "")
        self.assertNotIn("%", self.on_terminal(*CHAIN))

    def test_progress_of_a_solve_until_ctrl_c(self):
        for slow, unit in [(SLOW, "[GM] terms"), (SLOW_LINE, "k? ?cells"),
                           (["solve", "nussinov", "--input", "s=" + "ACGU" * 500, "--algorithm", "sequential"],
                            "[Mk] terms")]:
            self.stop_at_progress([*slow, "--table", "t.npy"], unit)

    def stop_at_progress(self, arguments, unit):
        leader, follower = pty.openpty()
        process = subprocess.Popen([PROGRAM, *arguments], stdout=follower, stderr=follower,
                                   stdin=follower, cwd=self.folder, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(process.kill)
        os.close(follower)
        text = b""
        while text.count(b"% ") + text.count(b"%,") < 5:
            text += os.read(leader, 4096)
        os.write(leader, b"\x03")  # what the key sends
        self.assertEqual(process.wait(timeout=30), 130)
        text += os.read(leader, 4096)
        os.close(leader)
        shown = text.decode()
        self.assertRegex(shown, rf"\r +\d+\.\d %, \d[\d.e+]* {unit}/s, (\d+ s|\d+:\d\d min|\d+ hours) left")
        self.assertRegex(shown, r"\r +\r$")  # erased
        self.assertNotIn("\n", shown)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    main()
