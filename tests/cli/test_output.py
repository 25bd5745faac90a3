"""Output files appear whole or not at all; what cannot be done has exit code 1."""
import os
import pty
import signal
import subprocess
import time
import unittest

from support import PROGRAM, CommandTest, main, read_npy

CHAIN = ["mcm", "30", "35", "15", "5", "10", "20", "25"]


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
        process = subprocess.Popen([PROGRAM, "mcm", "--random", "4000", "--table", "t.npy"], cwd=self.folder)
        deadline = time.monotonic() + 20
        while len(list(self.folder.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), -signal.SIGTERM)
        self.assertEqual([(p.name, p.read_text()) for p in self.folder.iterdir()], [("t.npy", "old")])

    def test_names_that_look_like_numbers(self):
        self.run_program(*CHAIN, "--table", "-5")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["-5"])

    def test_memory_limit_names_the_bytes(self):
        message = self.refuse("mcm", "--random", 1000, "--memory", "1M", names=["1048576"], code=1)
        self.assertIn("needs 8", message)  # 8 * 1001^2 and a little
        self.run_program("mcm", "--random", 100, "--memory", "1M")

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
        slow = ["selftest", "--seconds", "1"]
        self.assertIn("%", self.on_terminal(*slow))
        _, stderr = self.run_program(*slow)
        self.assertEqual(stderr, "")


if __name__ == "__main__":
    main()
