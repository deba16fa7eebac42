"""The posterior means and sds of an example by importance sampling, which shares no code with Hunch.

Usage: reference.py CONFIG DRAWS.csv [SAMPLES]     the simulator is asked SAMPLES times (20000)

A Student-t distribution around some draws, in unconstrained coordinates, proposes; the simulator of the config, asked
as Hunch asks it, and the priors, written here once more, give the weights.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import numpy

DEGREES_OF_FREEDOM = 5
WIDER = 1.2  # than the draws

# How a family's values become unconstrained and back, with log |d theta / d u|, and its log density up to a constant.
LOG = (numpy.log, numpy.exp, lambda u: u)
REAL = (lambda x: x, lambda u: u, lambda u: 0 * u)
LOGIT = (lambda x: numpy.log(x / (1 - x)), lambda u: 1 / (1 + numpy.exp(-u)),
         lambda u: -numpy.logaddexp(0, u) - numpy.logaddexp(0, -u))
FAMILIES = {
    "normal": (REAL, lambda x, mean, sd: -0.5 * ((x - mean) / sd) ** 2),
    "lognormal": (LOG, lambda x, mu, sigma: -0.5 * ((numpy.log(x) - mu) / sigma) ** 2 - numpy.log(x)),
    "halfnormal": (LOG, lambda x, scale: -0.5 * (x / scale) ** 2),
    "beta": (LOGIT, lambda x, a, b: (a - 1) * numpy.log(x) + (b - 1) * numpy.log1p(-x)),
}


def family_of(prior):
    name, numbers = re.fullmatch(r"(\w+)\((.*)\)", prior).groups()
    coordinates, log_density = FAMILIES[name]
    return coordinates, lambda x: log_density(x, *map(float, numbers.split(",")))


def ask(config, base, thetas):
    """The simulator's answers, one for each row."""
    names = list(config["parameters"])
    questions = "".join(json.dumps(dict(zip(names, row))) + "\n" for row in thetas.tolist())
    command = config["model"]["command"]
    answers = subprocess.run(command, cwd=base, input=questions, capture_output=True, text=True, check=True).stdout
    return numpy.array([float(line) for line in answers.split()])


def main():
    config_file, draws_file = map(pathlib.Path, sys.argv[1:3])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    config = tomllib.loads(config_file.read_text())
    names = list(config["parameters"])
    families = [family_of(parameter["prior"]) for parameter in config["parameters"].values()]
    with open(draws_file, newline="") as file:
        draws = numpy.array([[float(row[name]) for name in names] for row in csv.DictReader(file)])

    u = numpy.column_stack([to(draws[:, j]) for j, ((to, _, _), _) in enumerate(families)])
    centre, factor = u.mean(0), numpy.linalg.cholesky(numpy.cov(u.T)) * WIDER
    dice = numpy.random.default_rng(1)
    normal = dice.standard_normal((samples, len(names)))
    radius = numpy.sqrt(dice.chisquare(DEGREES_OF_FREEDOM, samples) / DEGREES_OF_FREEDOM)
    z = normal / radius[:, None]
    u = centre + z @ factor.T
    log_proposal = -(DEGREES_OF_FREEDOM + len(names)) / 2 * numpy.log1p((z**2).sum(1) / DEGREES_OF_FREEDOM)

    theta = numpy.column_stack([back(u[:, j]) for j, ((_, back, _), _) in enumerate(families)])
    log_weight = ask(config, config_file.parent, theta) - log_proposal
    for j, ((_, _, log_jacobian), log_density) in enumerate(families):
        log_weight += log_density(theta[:, j]) + log_jacobian(u[:, j])
    weight = numpy.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    mean = weight @ theta
    sd = numpy.sqrt(weight @ (theta - mean) ** 2)
    print(f"{1 / (weight @ weight):.0f} effective samples of {samples}")
    for name, one_mean, one_sd in zip(names, mean, sd):
        print(f'"{name}": ({one_mean:.5g}, {one_sd:.4g}),')


if __name__ == "__main__":
    main()
