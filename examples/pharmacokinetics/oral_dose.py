"""Concentrations after an oral dose, as a simulator that Hunch asks: a line of parameters in, a log-likelihood out.

One compartment with first-order absorption. Clearance differs from subject to subject by a lognormal factor, which is
integrated out: the population's parameters are what is sampled.

Try it by hand:
  echo '{"ka": 1.2, "clearance": 4, "volume": 30, "between": 0.3, "error": 0.15}' | python3 oral_dose.py
"""
import csv
import json
import math
import pathlib
import sys

NODES = [-4 + 8 * j / 80 for j in range(81)]  # of the trapezium rule over a subject's clearance, in sds
WEIGHTS = [math.exp(-0.5 * z * z) for z in NODES]
LOG_WEIGHTS = [math.log(w / sum(WEIGHTS)) for w in WEIGHTS]


def concentration(dose, hours, ka, elimination, volume):
    """mg/l, so many hours after a dose in mg; the two rates may meet."""
    gap = ka - elimination
    if abs(gap) * hours < 1e-6:
        return dose * ka / volume * hours * math.exp(-elimination * hours)
    return dose * ka / (volume * gap) * (math.exp(-elimination * hours) - math.exp(-ka * hours))


def log_sum_exp(values):
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def of_subject(readings, ka, clearance, volume, between, error):
    """log of the likelihood of one subject's readings, averaged over what its clearance may be."""
    at_nodes = []
    for z, log_weight in zip(NODES, LOG_WEIGHTS):
        elimination = clearance * math.exp(between * z) / volume
        total = log_weight
        for dose, hours, reading in readings:
            expected = concentration(dose, hours, ka, elimination, volume)
            if not expected > 0:  # gone below the smallest number there is
                total = -math.inf
                break
            misfit = (math.log(reading) - math.log(expected)) / error
            total -= 0.5 * misfit * misfit + math.log(error * reading) + 0.5 * math.log(2 * math.pi)
        at_nodes.append(total)
    return log_sum_exp(at_nodes) if max(at_nodes) > -math.inf else -math.inf


def log_likelihood(subjects, **theta):
    return sum(of_subject(readings, **theta) for readings in subjects)


def read_subjects():
    """For each subject its readings: dose (mg), hours since the dose, concentration (mg/l)."""
    subjects = {}
    with open(pathlib.Path(__file__).parent / "concentrations.csv", newline="") as file:
        for row in csv.DictReader(file):
            reading = (float(row["dose_mg"]), float(row["hours"]), float(row["mg_per_l"]))
            subjects.setdefault(row["subject"], []).append(reading)
    return list(subjects.values())


if __name__ == "__main__":
    subjects = read_subjects()
    for line in sys.stdin:
        print(log_likelihood(subjects, **json.loads(line)), flush=True)  # unflushed, the answer would never arrive
