#!/usr/bin/env python3
"""A hand clap in a hall: noise from a seed through a recursive filter with six echoes, y[i] = x[i] + the sum of
w[j] * y[i - a[j]]. A file to listen to may be asked for: reverb.py clap.wav"""
import math
import random
import struct
import wave

from gallery import argument, check, solve, stop

target = argument(None)
RATE, SECONDS, SEED = 22050, 2, 1
DELAYS = [641, 787, 907, 971, 1103, 1277]  # samples, 29 to 58 ms; primes, so that echoes seldom meet
GAINS = [0.25, -0.22, 0.19, -0.14, 0.10, 0.07]  # less than 1 together, so that every sound dies away
WINDOW = RATE // 20  # 50 ms
draw = random.Random(SEED).uniform
dry = [draw(-0.8, 0.8) * math.exp(-i / 60) for i in range(400)] + [0.0] * (RATE * SECONDS - 400)


def decibels(energy):
    return 10 * math.log10(max(energy, 1e-30))


def residue(wet):
    """What is left if the echoes are taken out again and then the clap: rounding errors."""
    return max(abs(y - x - sum(w * wet[i - a] for a, w in zip(DELAYS, GAINS) if a <= i))
               for i, (x, y) in enumerate(zip(dry, wet)))


def reverberation_time(wet):
    """Seconds for 60 dB: from where 5 to where 35 dB of the energy still to come are gone, twice (Schroeder, 1965)."""
    left, still = 0.0, []
    for y in reversed(wet):
        left += y * y
        still.append(left)
    still.reverse()
    first, last = (next(i for i, e in enumerate(still) if decibels(e / still[0]) < -level) for level in (5, 35))
    return 2 * (last - first) / RATE


result = solve("filter", {"x": dry, "a": DELAYS, "w": GAINS}, "--print", f"0..{len(dry) - 1}")
wet = result["cells"]
check(len(wet) == len(dry) and wet[-1] == result["value"], f"there are {len(wet)} samples")
check(all(map(math.isfinite, wet)), "all are numbers")
print(f"a clap of seed {SEED} in {len(dry)} samples, {RATE} a second; the level of each 50 ms:")
for start in range(0, RATE * 3 // 2, WINDOW):
    level = decibels(sum(y * y for y in wet[start:start + WINDOW]) / WINDOW)
    bar = "#" * round(max(level + 100, 0) * 0.8) + " the clap" * any(dry[start:start + WINDOW])
    print(f"  {start / RATE:4.2f} s {level:6.1f} dB {bar}")
print(f"  the hall takes {reverberation_time(wet):.2f} s for 60 dB")
check(residue(wet) < 1e-14, "without its echoes the sound is the clap again, to 1e-14")
if target:
    loudest = max(map(abs, dry + wet))
    try:
        with open(target, "wb") as stream, wave.open(stream, "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(b"".join(struct.pack("<h", round(30000 * y / loudest)) for y in dry[:RATE // 2] + wet))
    except OSError as error:
        stop(2, f"'{target}' cannot be written: {error.strerror}")
    print(f"{target}: the clap, then the clap in the hall")
