#!/usr/bin/env python3
"""What one iteration costs emcee and OpenTURNS on the densities of bench/overhead.cpp: one line of JSON per case.
Also, in FOLDER, what writing one page and syncing it costs: the least that a durable evaluation can.

Usage: bench/overhead_peers.py FOLDER SEED
"""
import json
import os
import sys
import time

import emcee
import numpy as np
import openturns as ot

CORRELATION = 0.8
FOLDER = sys.argv[1]
SEED = int(sys.argv[2])


def precision_of(d):
    indices = np.arange(d)
    return np.linalg.inv(CORRELATION ** np.abs(indices[:, None] - indices[None, :]))


def report(who, variant, d, seconds, iterations, evaluations, at_ones):
    print(json.dumps({"who": who, "variant": variant, "d": d, "cpu": seconds, "iterations": iterations,
                      "evaluations": evaluations, "at_ones": float(at_ones)}), flush=True)


def seconds_of(work):
    begun = time.process_time()
    work()
    return time.process_time() - begun


def time_emcee(way, walkers, d, log_density, steps):
    rng = np.random.default_rng(SEED)
    np.random.seed(SEED)
    calls = 0

    def counted(x):
        nonlocal calls
        calls += len(x) if x.ndim == 2 else 1
        return log_density(x)

    vectorize = way == "vectorised"
    start = rng.standard_normal((walkers, d))
    counting = emcee.EnsembleSampler(walkers, d, counted, vectorize=vectorize)
    state = counting.run_mcmc(start, 100)
    calls = 0
    counting.run_mcmc(state, 100, skip_initial_state_check=True)
    per_step = calls / 100

    sampler = emcee.EnsembleSampler(walkers, d, log_density, vectorize=vectorize)
    state = sampler.run_mcmc(start, 100)
    seconds = seconds_of(lambda: sampler.run_mcmc(state, steps, skip_initial_state_check=True))
    at_ones = log_density(np.ones((1, d)))[0] if vectorize else log_density(np.ones(d))
    report("emcee", f"{way}, {walkers} walkers", d, seconds, steps * walkers, round(per_step * steps), at_ones)


def time_openturns(variant, d, make_sampler, function, draws, at_ones):
    ot.RandomGenerator.SetSeed(SEED)
    sampler = make_sampler()
    sampler.getSample(100)
    before = function.getCallsNumber() if function else 0
    seconds = seconds_of(lambda: sampler.getSample(draws))
    evaluations = function.getCallsNumber() - before if function else draws
    report("openturns", variant, d, seconds, draws, evaluations, at_ones)


def time_syncs(count):
    path = os.path.join(FOLDER, "sync")
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    begun = time.perf_counter()
    for page in range(count):
        os.pwrite(file, b"x" * 4096, 4096 * page)
        os.fsync(file)
    seconds = time.perf_counter() - begun
    os.close(file)
    os.unlink(path)
    print(json.dumps({"who": "sync", "wall": seconds, "count": count}), flush=True)


def main():
    time_syncs(200)
    for d in (2, 5, 10):
        precision = precision_of(d)

        def one(x):
            return -0.5 * (x @ precision @ x)

        def many(x):
            return -0.5 * ((x @ precision) * x).sum(axis=1)

        time_emcee("vectorised", 256, d, many, 250)
        time_emcee("vectorised", 32, d, many, 1000)
        time_emcee("one at a time", 32, d, one, 500)

        names = [f"x{j}" for j in range(d)]
        terms = [f"({precision[i, j]:.17g})*{names[i]}*{names[j]}" for i in range(d) for j in range(d)
                 if abs(precision[i, j]) > 1e-12]
        symbolic = ot.SymbolicFunction(names, ["-0.5*(" + "+".join(terms) + ")"])
        python = ot.PythonFunction(d, 1, lambda x: [one(np.asarray(x))])
        native = ot.Normal([0.0] * d, ot.CovarianceMatrix(np.linalg.inv(precision)))
        everywhere = ot.Interval([-1e3] * d, [1e3] * d)
        walk = ot.Normal([0.0] * d, [1.5 / d ** 0.5] * d, ot.CorrelationMatrix(d))

        def random_walk(*target):
            return lambda: ot.RandomWalkMetropolisHastings(*target, [0.0] * d, walk)

        def one_by_one():
            step = ot.Normal(0.0, 1.0)
            return ot.Gibbs([ot.RandomWalkMetropolisHastings(symbolic, everywhere, [0.0] * d, step, [j])
                             for j in range(d)])

        ones = [1.0] * d
        time_openturns("random walk, Normal", d, random_walk(native), None, 100000,
                       native.computeLogPDF(ones) - native.computeLogPDF([0.0] * d))
        time_openturns("random walk, SymbolicFunction", d, random_walk(symbolic, everywhere), symbolic, 100000,
                       symbolic(ones)[0])
        time_openturns("random walk, Python function", d, random_walk(python, everywhere), python, 20000,
                       python(ones)[0])
        time_openturns("Gibbs of random walks, SymbolicFunction", d, one_by_one, symbolic, 20000,
                       symbolic(ones)[0])


main()
