"""Writes heads.txt: what wells would read, from a finer grid than the model's, with a fixed seed.

Usage, after compiling the simulator as README.md says: python3 make_data.py ./diffusion
"""
import pathlib
import random
import subprocess
import sys

SEED = 5
TRUTH = {"a": 0.4, "b": -0.6, "c": 0.5, "d": 0.3, "e": -0.4}
FINE_GRID = 640
NOISE_SD = 0.001
PLACES = [0.1, 0.3, 0.5, 0.7, 0.9]


def main():
    heads_file = pathlib.Path(__file__).parent / "heads.txt"
    heads_file.write_text("".join(f"{x} {y} 0 1\n" for y in PLACES for x in PLACES))
    command = [sys.argv[1], "--grid", FINE_GRID, "--data", heads_file, "--heads", *TRUTH.values()]
    printed = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    dice = random.Random(SEED)
    lines = [f"# x y head sd; made with {TRUTH} on a grid of {FINE_GRID}, seed {SEED}\n"]
    for line in printed.splitlines():
        x, y, head = line.split()
        lines.append(f"{x} {y} {float(head) + dice.gauss(0, NOISE_SD):.5f} {NOISE_SD}\n")
    heads_file.write_text("".join(lines))


if __name__ == "__main__":
    main()
