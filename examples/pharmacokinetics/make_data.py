"""Writes concentrations.csv: eight subjects that oral_dose.py could have made, with a fixed seed.

Usage: python3 make_data.py
"""
import csv
import math
import pathlib
import random

import oral_dose

SEED = 4
TRUTH = {"ka": 1.2, "clearance": 4.0, "volume": 30.0, "between": 0.3, "error": 0.15}
DOSES = [320, 320, 320, 240, 240, 240, 160, 160]
HOURS = [0.5, 1, 2, 4, 7, 10, 16, 24]


def main():
    dice = random.Random(SEED)
    with open(pathlib.Path(__file__).parent / "concentrations.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["subject", "dose_mg", "hours", "mg_per_l"])
        for subject, dose in enumerate(DOSES, 1):
            elimination = TRUTH["clearance"] * math.exp(dice.gauss(0, TRUTH["between"])) / TRUTH["volume"]
            for hours in HOURS:
                expected = oral_dose.concentration(dose, hours, TRUTH["ka"], elimination, TRUTH["volume"])
                reading = expected * math.exp(dice.gauss(0, TRUTH["error"]))
                rows.writerow([subject, dose, hours, f"{reading:.3f}"])


if __name__ == "__main__":
    main()
