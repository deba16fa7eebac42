"""An outbreak as a simulator that Hunch asks: a line of parameters in, a line with the log-likelihood out.

Try it by hand:  echo '{"r0": 1.8, "days": 4, "start": 8, "reported": 0.3, "spread": 0.2}' | python3 sir.py
"""
import csv
import json
import math
import pathlib
import sys

POPULATION = 24_000.0
STEPS_PER_DAY = 8


def flow(susceptible, infected, beta, gamma):
    infections = beta * susceptible * infected / POPULATION
    return -infections, infections - gamma * infected


def runge_kutta_step(s, i, h, beta, gamma):
    s1, i1 = flow(s, i, beta, gamma)
    s2, i2 = flow(s + h / 2 * s1, i + h / 2 * i1, beta, gamma)
    s3, i3 = flow(s + h / 2 * s2, i + h / 2 * i2, beta, gamma)
    s4, i4 = flow(s + h * s3, i + h * i3, beta, gamma)
    return s + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4), i + h / 6 * (i1 + 2 * i2 + 2 * i3 + i4)


def new_infections(r0, days, start, length):
    """How many people caught it, on each of `length` days."""
    beta, gamma = r0 / days, 1 / days
    s, i = POPULATION - start, start
    caught = []
    for _ in range(length):
        before = s
        for _ in range(STEPS_PER_DAY):
            s, i = runge_kutta_step(s, i, 1 / STEPS_PER_DAY, beta, gamma)
        caught.append(before - s)
    return caught


def log_negative_binomial(count, mean, spread):
    """The variance is mean + (spread * mean)^2: counts scatter more than a Poisson's do."""
    size = 1 / spread**2
    return (math.lgamma(count + size) - math.lgamma(size) - math.lgamma(count + 1)
            - size * math.log1p(mean / size) + count * (math.log(mean) - math.log(size + mean)))


def log_likelihood(cases, r0, days, start, reported, spread):
    total = 0.0
    for count, caught in zip(cases, new_infections(r0, days, start, len(cases))):
        if not caught > 0:  # steps this long cannot follow rates this fast: impossible, not an error
            return -math.inf
        total += log_negative_binomial(count, reported * caught, spread)
    return total


def read_cases():
    with open(pathlib.Path(__file__).parent / "cases.csv", newline="") as file:
        return [int(row["reported"]) for row in csv.DictReader(file)]


if __name__ == "__main__":
    cases = read_cases()
    for line in sys.stdin:
        print(log_likelihood(cases, **json.loads(line)), flush=True)  # unflushed, the answer would never arrive
