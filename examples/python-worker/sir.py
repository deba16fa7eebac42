"""An epidemic as a simulator that Hunch asks: a line of parameters in, a line with the log-likelihood out.

Try it by hand:  echo '{"beta": 1.6, "gamma": 0.5, "sigma": 0.2}' | python3 sir.py
"""
import json
import math
import sys

POPULATION = 1000.0
INFECTED_AT_START = 5.0
STEPS_PER_DAY = 10

# How many were ill on days 1 to 14. Made with beta = 1.6, gamma = 0.5 and 20 % of lognormal noise (sigma = 0.2).
ILL = [12, 33, 122, 137, 301, 203, 333, 208, 185, 87, 70, 41, 25, 19]


def flow(susceptible, infected, beta, gamma):
    infections = beta * susceptible * infected / POPULATION
    return -infections, infections - gamma * infected


def runge_kutta_step(s, i, h, beta, gamma):
    s1, i1 = flow(s, i, beta, gamma)
    s2, i2 = flow(s + h / 2 * s1, i + h / 2 * i1, beta, gamma)
    s3, i3 = flow(s + h / 2 * s2, i + h / 2 * i2, beta, gamma)
    s4, i4 = flow(s + h * s3, i + h * i3, beta, gamma)
    return s + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4), i + h / 6 * (i1 + 2 * i2 + 2 * i3 + i4)


def simulate(beta, gamma, days):
    """The number of infected people at the end of each day."""
    s, i = POPULATION - INFECTED_AT_START, INFECTED_AT_START
    curve = []
    for _ in range(days):
        for _ in range(STEPS_PER_DAY):
            s, i = runge_kutta_step(s, i, 1 / STEPS_PER_DAY, beta, gamma)
        curve.append(i)
    return curve


def log_likelihood(beta, gamma, sigma):
    """log(ill) is normal around log(infected), with standard deviation sigma."""
    total = 0.0
    for ill, infected in zip(ILL, simulate(beta, gamma, len(ILL))):
        if not infected > 0:  # steps this long cannot follow rates this fast: impossible, not an error
            return -math.inf
        z = (math.log(ill) - math.log(infected)) / sigma
        total += -0.5 * z * z - math.log(sigma * ill) - 0.5 * math.log(2 * math.pi)
    return total


for line in sys.stdin:
    print(log_likelihood(**json.loads(line)), flush=True)  # unflushed, the answer would never arrive
