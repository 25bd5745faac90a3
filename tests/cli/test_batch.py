#!/usr/bin/env python3
"""pipedp solve --batch: many problems in one file, a line each."""
import random
import time

from support import CommandTest, main


class BatchTest(CommandTest):
    def write(self, text, name="lines.txt"):
        (self.folder / name).write_text(text)
        return name

    def values(self, *arguments, **options):
        """The values of the lines, in order."""
        stdout, _ = self.run_program("solve", *arguments, **options)
        numbers, values = zip(*(line.split("\t") for line in stdout.splitlines()))
        self.assertEqual([int(number) for number in numbers], list(range(1, len(numbers) + 1)))
        return list(values)

    def test_lines(self):
        self.write("# chains\n30,35,15,5,10,20,25\n\n 10 20 30   # two\r\n5,6\np=1,2,3,4")
        for method in ["auto", "tiles", "sequential", "hu-shing"]:
            for threads in [1, 2, 3, 8]:
                self.assertEqual(self.values("mcm", "--batch", "lines.txt", "-A", method, "--threads", threads),
                                 ["15125", "6000", "0", "18"])
        self.assertEqual(self.values("mcm", "--batch", "lines.txt", "--backend", "host"), ["15125", "6000", "0", "18"])
        self.assertEqual(self.values("mcm", "--batch", "-", stdin="2,3,4\n"), ["24"])

    def test_fields(self):
        self.write("s=GGGAAAUCC loop=3\nGGGAAAUCC\nloop=0 s=GCGC\n")
        alone = [self.run_json("solve", "nussinov", "--input", f"s={s}", "--param", f"loop={loop}")["value"]
                 for s, loop in [("GGGAAAUCC", 3), ("GGGAAAUCC", 1), ("GCGC", 0)]]
        self.assertEqual(self.values("nussinov", "--batch", "lines.txt", "--param", "loop=1"), [str(v) for v in alone])
        self.write("388\namount=7 coin=3\n1\n")
        self.assertEqual(self.values("coins", "--batch", "lines.txt", "--input", "coin=5,2"), ["80", "none", "none"])
        self.write("p=4,2,6,3 q=1,2,3,1,2\np=@hits.txt q=2,3\n")
        self.write("1\n", "hits.txt")
        self.assertEqual(self.values("obst", "--batch", "lines.txt"), ["58", "11"])
        self.write("x=0,1 a=1 w=0.5\nx=1,2,3 a=1,2 w=0.5,0.25\n")
        self.assertEqual(self.values("filter", "--batch", "lines.txt"), ["1", "4.5"])

    def test_verify(self):
        (self.folder / "chains.txt").write_text("30,35,15,5,10,20,25\n2,3,4\n")
        results = self.run_json("solve", "mcm", "--batch", "chains.txt", "--verify")
        self.assertEqual([result["certificate"] for result in results], ["certified", "certified"])
        stdout, stderr = self.run_program("solve", "mcm", "--batch", "chains.txt", "--verify")
        self.assertEqual((stdout, stderr), ("1\t15125\n2\t24\n", "pipedp: note: 2 certified, 0 witness, 0 unchecked\n"))
        self.write("GGGAAAUCC\nACGU\nGC\n")
        _, stderr = self.run_program("solve", "nussinov", "--batch", "lines.txt", "--verify")
        self.assertEqual(stderr, "pipedp: note: 0 certified, 3 witness, 0 unchecked\n")
        for more in [[], ["--verify", "--json"], ["--verify", "--dry-run"]]:
            self.assertEqual(self.run_program("solve", "nussinov", "--batch", "lines.txt", *more)[1], "")

    def test_json(self):
        self.write("30,35,15,5,10,20,25\n3,4,5\n")
        results = self.run_json("solve", "mcm", "--batch", "lines.txt")
        for result, line in zip(results, (self.folder / "lines.txt").read_text().split()):
            alone = self.run_json("solve", "mcm", "--input", f"p={line}")
            self.assertEqual({k: v for k, v in result.items() if k != "seconds"},
                             {k: v for k, v in alone.items() if k != "seconds"})
        self.assertEqual(len(results), 2)
        plan = self.run_json("solve", "mcm", "--batch", "lines.txt", "--dry-run")
        self.assertEqual((plan["problems"], plan["algorithm"]), (2, "hu-shing"))

    def test_files(self):
        self.write("30,35,15,5,10,20,25\n3,4,5\n")
        stdout, _ = self.run_program("solve", "mcm", "--batch", "lines.txt", "--report", "r.txt", "--output", "o.txt")
        self.assertEqual(stdout, "")
        self.assertEqual((self.folder / "o.txt").read_text(), "1\t15125\n2\t60\n")
        self.assertEqual((self.folder / "r.txt").read_text(), "1\t((A1(A2A3))((A4A5)A6))\n2\t(A1A2)\n")
        self.write("p=4,2,6,3 q=1,2,3,1,2\np=1 q=2,3\n")
        self.run_program("solve", "obst", "--batch", "lines.txt", "--report", "r.txt")
        alone = self.folder / "alone.txt"
        self.run_program("solve", "obst", "--input", "p=4,2,6,3", "--input", "q=1,2,3,1,2", "--report", alone)
        mine = [line.split("\t", 1)[1] for line in (self.folder / "r.txt").read_text().splitlines()
                if line.startswith("1\t")]
        self.assertEqual(mine, alone.read_text().splitlines())

    def test_refusals(self):
        def line(text, *names, recurrence="mcm", more=(), code=2):
            self.write(f"1,2,3\n# one more\n{text}\n", "bad.txt")
            self.refuse("solve", recurrence, "--batch", "bad.txt", "--output", "o.txt", *more, code=code,
                        names=["bad.txt, line 3: ", *names])
        line("1,x,3", "p: item 2", "'x' is not a whole number")
        line("q=3", "mcm has no input or parameter 'q'")
        line("p=1,2 3", "'3' is not NAME=VALUE")
        line("p=1,2 p=2,3", "p: it is given twice")
        line("5", "the number of points is 1")
        line("4,0,2", "p[1] is 0, and must be at least 1")
        line("p=@-", "a batch takes no values from standard input")
        line("p=@none.txt", "'none.txt' cannot be opened")
        line("99999,99999,99999", "type i32 holds numbers up to", more=["--type", "i32"])
        line("4000000000,4000000000,4000000000", "does not fit into int64", code=1)
        line("4000000000,4000000000,4000000000", "may not fit into 64 bits", more=["--backend", "host"])
        self.write("3,4\n")
        self.refuse("solve", "obst", "--batch", "lines.txt",
                    names=["lines.txt, line 1: '3,4' is not NAME=VALUE, and obst wants values for p, q"])
        self.refuse("solve", "mcm", "--batch", "lines.txt", "--input", "p=1,2", names=["mcm wants nothing more"])
        self.refuse("solve", "mcm", "--batch", "none.txt", names=["--batch: 'none.txt' cannot be read"])
        self.refuse("solve", "coins", "--batch", "lines.txt", "--input", "coin=@-",
                    names=["--input coin: a batch takes no values from standard input"])
        for option in [["--table", "t.npy"], ["--splits", "s.npy"], ["--print", "0..1"]]:
            self.refuse("solve", "mcm", "--batch", "lines.txt", *option,
                        names=[f"{option[0]} is for one problem, not for --batch"])
        self.refuse("solve", "mcm", "--batch", "lines.txt", "--memory", "1K", "-A", "tiles", code=1,
                    names=["bytes, and 1024 are allowed"])
        self.write("a=1 init=1 n=3 op=min\na=1 init=1 n=3 op=max\n")
        self.refuse("solve", "sdp", "--batch", "lines.txt",
                    names=["lines.txt, line 2: problem 2 is not of one kind with the first: its operator is another"])
        for text in ["", "# nothing\n\n"]:
            self.write(text)
            self.refuse("solve", "mcm", "--batch", "lines.txt", names=["lines.txt: there is no problem in it"])
        (self.folder / "lines.txt").write_bytes(b"1,2\n\0\n")
        self.refuse("solve", "mcm", "--batch", "lines.txt", names=["lines.txt: it is not a text"])
        self.write("4000000000,4000000000,4000000000\n" * 3)
        self.refuse("solve", "mcm", "--batch", "lines.txt", code=1, names=["line 1: ", "(and 2 more)"])

    def test_device_memory(self):
        """A device with little memory takes a batch in several rounds, and names what it has no room for."""
        self.write("\n".join(",".join(str(x % 9 + 1) for x in range(n)) for n in [90, 3, 70, 129, 20]))
        values = self.values("mcm", "--batch", "lines.txt")
        for limit in ["120K", "140K", "1M"]:
            self.assertEqual(self.values("mcm", "--batch", "lines.txt", "--backend", "host", "--device-memory", limit),
                             values)
        self.refuse("solve", "mcm", "--batch", "lines.txt", "--backend", "host", "--device-memory", "60K", code=1,
                    names=["lines.txt, line 4: problem 4: method 'tiles' needs", "bytes of device memory"])

    def test_many(self):
        """1,024 lines of 1,024 numbers are read in no time."""
        state = random.Random(1)
        self.write("\n".join(",".join(str(state.randint(1, 60)) for _ in range(1024)) for _ in range(1024)))
        start = time.monotonic()
        self.assertEqual(len(self.values("mcm", "--batch", "lines.txt")), 1024)
        self.assertLess(time.monotonic() - start, 20)


if __name__ == "__main__":
    main()
