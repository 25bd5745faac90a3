"""Bad input: exit code 2, a message that names the value and its place, and no file written."""
import struct

from support import CommandTest, main, write_npy

SDP = ["sdp", "--op", "min"]


class BadInput(CommandTest):
    def refuse_mcm(self, *dims, names):
        self.refuse("mcm", *dims, "--table", "t.npy", "--order", "o.txt", names=names)

    def refuse_sdp(self, offsets, presets, n, *more, names):
        self.refuse("sdp", "--offsets", offsets, "--init", presets, "-n", n, "--table", "t.npy", *more, names=names)

    def test_dimensions(self):
        self.refuse_mcm(names=["0 dimensions"])
        self.refuse_mcm(5, names=["1 dimension"])
        self.refuse_mcm(3, 0, 4, names=["dimension 2", "0"])
        self.refuse_mcm(3, 4, -7, names=["dimension 3", "-7"])
        self.refuse_mcm(-7, 4, 3, names=["dimension 1", "-7"])
        self.refuse_mcm(3, "x", 4, names=["item 2", "'x'"])
        self.refuse_mcm("3,4,5x", names=["item 3", "'5x'"])
        self.refuse_mcm("3,,4", names=["item 2", "empty"])
        self.refuse_mcm("3,4,", names=["item 3", "empty"])
        self.refuse_mcm(3, "1.5", 4, names=["item 2", "'1.5'"])
        self.refuse_mcm(3, "-5.5", 4, names=["item 2", "'-5.5'"])
        self.refuse_mcm(3, "-0x10", 4, names=["item 2", "'-0x10'"])
        self.refuse_mcm(3, 9223372036854775808, 4, names=["item 2", "9223372036854775808", "int64"])
        self.refuse_mcm(3, "1" * 100, 4, names=["item 2", "too long"])
        self.refuse_mcm("--random", 0, names=["--random", "0"])
        self.refuse_mcm("--random", "x", names=["--random", "'x'"])
        self.refuse_mcm("--random", 5, "--max-dim", 0, names=["--max-dim", "0"])
        self.refuse_mcm("--random", 5, "--max-dim", "x", names=["--max-dim", "'x'"])
        for option in ["--max-dim", "--seed", "--memory"]:
            self.refuse_mcm("--random", 5, option, 10**30, names=[option, 10**30])
        self.refuse_mcm("--random", 5, "--memory", "99999999T", names=["--memory", "'99999999T'"])
        self.refuse_mcm("--random", 5, 6, 7, names=["2 times"])
        self.refuse_mcm("--random", 5, "--seed", -1, names=["--seed", "-1", "negative"])

    def test_cost_beyond_int64(self):
        # Refused by the solve: exit code 1, and the first cell that does not fit.
        self.refuse("mcm", 2097152, 2097152, 2097152, "--table", "t.npy", names=["cell (0, 2)", "int64"], code=1)
        self.refuse("mcm", *[10**6] * 12, names=["cell (0, 11)", "int64"], code=1)
        self.refuse("mcm", *[10**6] * 12, "--algorithm", "pipeline", names=["'pipeline'", "int64"])

    def test_offsets(self):
        self.refuse_sdp("3,3,1", "1,2,3", 9, names=["offset 2", "3"])
        self.refuse_sdp("3,5,1", "1,2,3", 9, names=["offset 2", "5", "offset 1"])
        self.refuse_sdp("3,1,0", "1,2,3", 9, names=["offset 3", "0"])
        self.refuse_sdp("3,-1", "1,2,3", 9, names=["offset 2", "-1"])
        self.refuse_sdp("10,1", "1,2,3", 9, names=["offset 1", "10", "9"])
        self.refuse_sdp("", "1,2,3", 9, names=["no offsets"])
        self.refuse_sdp("3,y", "1,2,3", 9, names=["--offsets", "item 2", "'y'"])

    def test_presets_and_n(self):
        self.refuse_sdp("3,1", "1,2", 9, names=["2 initial values", "3"])
        self.refuse_sdp("3,1", "1,2,3,4", 9, names=["4 initial values", "3"])
        self.refuse_sdp("3,1", "1,2,z", 9, names=["--init", "item 3", "'z'"])
        self.refuse_sdp("3,1", "1,2,3", 0, names=["n is 0"])
        self.refuse_sdp("3,1", "1,2,3", -4, names=["-n", "-4"])
        self.refuse_sdp("3,1", "1,2,3", "x", names=["-n", "'x'"])
        self.refuse_sdp("3,1", "1,2,3", 10**30, names=["-n", 10**30])
        self.refuse("sdp", "--init", "1", "-n", 4, names=["--offsets is missing"])
        self.refuse("sdp", "--offsets", "1", "-n", 4, names=["--init is missing"])
        self.refuse("sdp", "--offsets", "1", "--init", "1", names=["-n is missing"])

    def test_operators_policies_methods(self):
        good = ["3,1", "1,2,3", 9]
        self.refuse_sdp(*good, "--op", "plus", names=["--op", "'plus'", "min"])
        self.refuse_sdp(*good, "--algorithm", "fast", names=["'fast'", "pipeline2"])
        self.refuse("mcm", 1, 2, 3, "--algorithm", "naive", names=["'naive'", "wavefront", "tiles", "hu-shing"])
        self.refuse("mcm", 1, 2, 3, "--algorithm", "blocks", names=["'blocks'", "wavefront"])
        self.refuse_sdp(*good, "--algorithm", "tiles", names=["'tiles'", "blocks"])
        self.refuse("mcm", 1, 2, 3, "--type", "i16",
                    names=["--type: 'i16' is not a type; there are auto, i32, i64, f32 and f64"])
        self.refuse("mcm", 1, 2, 3, "--algorithm", "sequential", "--type", "f32", names=["sequential", "f32"])
        for text in ["0", "4097"]:
            self.refuse("mcm", 1, 2, 3, "--threads", text, names=[f"--threads: {text} must be 1 to 4096"])
        self.refuse("mcm", 1, 2, 3, "--threads", "-2", names=["--threads: '-2' is negative"])
        self.refuse("mcm", 1, 2, 3, "--output", "f", "--order", "f", names=["--order and --output both go to 'f'"])
        self.refuse("mcm", 1, 2, 3, "--output", "./f", "--order", "f", names=["--order and --output both go to 'f'"])
        (self.folder / "d.txt").write_text("30 35 15")
        (self.folder / "link").symlink_to("d.txt")
        for name in ["d.txt", "./d.txt", "link"]:
            self.refuse("mcm", "@d.txt", "--order", name, names=[f"--order would replace '{name}', which p is read from"])
        self.refuse("mcm", "@link", "--save", "d.txt", names=["--save would replace 'd.txt', which p is read from"])
        self.assertEqual((self.folder / "d.txt").read_text(), "30 35 15")
        self.refuse("mcm", 1, 2, 3, "--output", "d.txt", "--order", "link", names=["--order and --output both go to"])
        self.refuse_sdp(*good, "--overflow", "maybe", names=["--overflow", "'maybe'"])
        self.refuse_sdp(*good, "--overflow", "wrap", names=["wrap", "min"])
        self.refuse_sdp(*good, "--op", "add", "--mod", 1, names=["modulus", "1"])
        self.refuse_sdp(*good, "--op", "add", "--mod", "x", names=["--mod", "'x'"])
        self.refuse_sdp(*good, "--op", "add", "--mod", 2**63, names=["--mod", 2**63])
        for policy in ["wrap", "error"]:
            for both in [["--mod", 7, "--overflow", policy], ["--overflow", policy, "--mod", 7]]:
                self.refuse_sdp(*good, "--op", "add", *both, names=["--mod", "--overflow"])
        self.refuse_sdp(*good, "--op", "gcd", "--mod", 7, names=["mod", "gcd"])
        self.refuse_sdp(*good, "--print", "5..9", names=["--print", "'5..9'", "8"])
        self.refuse_sdp(*good, "--print", "7..5", names=["--print", "'7..5'"])
        self.refuse_sdp(*good, "--print", "all", names=["--print", "'all'"])
        self.refuse_sdp(*good, "--memory", "lots", names=["--memory", "'lots'"])
        self.refuse_sdp(*good, "--memory", "0", names=["--memory", "'0'"])
        self.refuse_sdp(*good, "surplus", names=["'surplus'"])
        self.refuse("sdp", "--random", 5, "--k", 6, names=["--k", "6", "5"])
        self.refuse("sdp", "--random", 5, "--k", 0, names=["--k", "0"])
        self.refuse("sdp", "--random", 5, "--offsets", "1", names=["--random", "--offsets"])
        self.refuse_sdp(*good, "--k", 3, names=["--k", "--random"])
        self.refuse_sdp(*good, "--seed", 3, names=["--seed", "--random"])
        self.refuse("mcm", 1, 2, 3, "--max-dim", 3, names=["--max-dim", "--random"])
        self.refuse("sdp", "--offsets", "@-", "--init", "@-", "-n", 9, names=["--offsets", "--init"], stdin="1")
        self.refuse("sdp", "--random", 10**15, names=["--random", 10**15], code=1)
        self.refuse("mcm", 1, 2, 3, "--table", "f", "--order", "f", names=["--table", "--order", "'f'"])

    def test_files_that_cannot_be_read(self):
        (self.folder / "sub").mkdir()
        self.refuse_mcm("@nowhere", names=["'nowhere'"])
        self.refuse_mcm("@sub", names=["'sub'", "folder"])
        self.refuse_mcm("--file", "nowhere", names=["'nowhere'"])
        self.refuse_mcm("--file", "sub", names=["'sub'", "folder"])
        self.refuse_mcm("@nowhere", 3, names=["'@nowhere'"])
        (self.folder / "text").write_text("3 4\n5 six 7\n")
        self.refuse_mcm("@text", names=["'text'", "item 4", "line 2, column 3", "'six'"])
        (self.folder / "zeros").write_bytes(b"3 4 \0 5")
        self.refuse_mcm("@zeros", names=["'zeros'", "item 3"])
        self.refuse_mcm("@/dev/zero", names=["item 1"])
        (self.folder / "empty").write_text("")
        self.refuse_mcm("@empty", names=["0 dimensions"])

    def test_ends_of_ranges(self):
        def refuse(least, d, *names):
            text = f"linear a\n param d\n param n >= {least}\n input o[k]\n size n\n missing skip\n source 1\n offset o[j]\n"
            (self.folder / "a.dp").write_text(text + " term s\n combine add\n")
            self.refuse("solve", "a.dp", "--param", f"d={d}", "--param", "n=3", "--input", "o=1", names=["parameter n", *names])

        refuse("12/d", 0, "division by zero")
        refuse("1 <= 12%d", 0, "division by zero")
        refuse("12/d", 2, "3", "at least 6")
        refuse("2*d", 9 * 10**18, "3", "at least a number beyond int64")
        refuse("d*d*d*d*d*d*d - d*d*d*d*d*d*d + 10", 4 * 10**18, "2^126")
        refuse("d*d*d*d*d*d*d - d*d*d*d*d*d*d + 10", 4, "at least 10")

    def refuse_npy(self, *names, **settings):
        write_npy(self.folder / "bad.npy", [3, 4, 5], **settings)
        self.refuse_mcm("@bad.npy", names=["'bad.npy'", *names])

    def test_npy(self):
        self.refuse_npy("'<f8'", "'<i8'", descr="<f8", code="<d")
        self.refuse_npy("'<i4'", descr="<i4", code="<i")
        self.refuse_npy("'>i8'", descr=">i8", code=">q")
        self.refuse_npy("'<u8'", descr="<u8")
        self.refuse_npy("(1, 3)", shape=(1, 3))
        self.refuse_npy("()", shape=())
        self.refuse_npy("version 9", version=9)
        self.refuse_npy("truncated", "1000000000000", shape=(10**12,))
        self.refuse_npy("truncated", "3", "2", body=struct.pack("<qq", 3, 4))
        self.refuse_npy("truncated", body=struct.pack("<qq", 3, 4) + b"\0\0\0")
        self.refuse_npy("beyond", "2", shape=(2,))
        self.refuse_npy("beyond", body=struct.pack("<qqq", 3, 4, 5) + b"\0")
        whole = (self.folder / "bad.npy").read_bytes()
        for length in [1, 6, 8, 9, 12, 60, 127]:
            (self.folder / "bad.npy").write_bytes(whole[:length])
            self.refuse_mcm("@bad.npy", names=["'bad.npy'", "truncated"])

    def test_usage(self):
        self.refuse("nonsense", names=["'nonsense'"])
        self.refuse("mcm", "--nonsense", names=["--nonsense"])
        self.refuse("mcm", "--seed", names=["--seed"])
        self.refuse("trace", "tsp", names=["'tsp'"])
        self.refuse("trace", "mcm", 1, 2, "--format", "png", names=["--format", "'png'"])
        self.refuse("trace", "mcm", 1, 2, "--width", 0, names=["--width", "0"])
        self.refuse("trace", "mcm", 1, 2, "--width", 1025, names=["--width", "1025"])
        self.refuse("trace", "mcm", 1, 2, "--latency", 0, names=["--latency", "0"])
        self.refuse("trace", "mcm", "--cell", 16, names=["--cell", "16", "15"])
        self.refuse("trace", "mcm", "--cell", 0, names=["--cell", "0"])
        self.refuse("trace", "mcm", "--random", 400, "--format", "svg", names=["svg", "80200"])
        self.refuse("trace", "mcm", 1, 2, 3, "--summary", "--format", "svg", names=["--summary", "svg"])
        self.refuse("trace", "mcm", names=["0 dimensions"])
        for text in ["soon", "5x", "inf", "nan", "-1", ""]:
            self.refuse("selftest", "--seconds", text, names=["--seconds", f"'{text}'"])
        self.refuse("selftest", "--seed", "x", names=["--seed", "'x'"])
        self.refuse("info", "x", names=["'x'"])
        self.refuse(names=["Usage"])
        self.refuse("trace", names=["Usage"])


if __name__ == "__main__":
    main()
