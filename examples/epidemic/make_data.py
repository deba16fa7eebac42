"""Writes cases.csv: an outbreak that sir.py could have made, with a fixed seed. Usage: python3 make_data.py"""
import csv
import datetime
import pathlib
import random

import sir

SEED = 20
TRUTH = {"r0": 1.8, "days": 4.0, "start": 8.0, "reported": 0.3, "spread": 0.2}
FIRST_DAY, LENGTH = datetime.date(2023, 1, 9), 75


def poisson(mean, dice):
    """How many events of rate one fit into a time `mean`."""
    events, time = 0, dice.expovariate(1)
    while time < mean:
        events, time = events + 1, time + dice.expovariate(1)
    return events


def main():
    dice = random.Random(SEED)
    size = 1 / TRUTH["spread"] ** 2
    caught = sir.new_infections(TRUTH["r0"], TRUTH["days"], TRUTH["start"], LENGTH)
    with open(pathlib.Path(__file__).parent / "cases.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["day", "reported"])
        for day, people in enumerate(caught):
            rate = TRUTH["reported"] * people * dice.gammavariate(size, 1 / size)
            rows.writerow([FIRST_DAY + datetime.timedelta(days=day), poisson(rate, dice)])


if __name__ == "__main__":
    main()
