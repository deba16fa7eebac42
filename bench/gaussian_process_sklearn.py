#!/usr/bin/env python3
"""What one prediction costs scikit-learn's Gaussian process, as JSON: {n: {what: microseconds}}.

Same shape of data as bench/gaussian_process.cpp. Set OPENBLAS_NUM_THREADS=1 to compare like with like.
A prediction is one position per call; "batch" is 256 positions per call, time per position. predict() of
scikit-learn 1.2 solves for the variance even when only the mean is asked for, so "mean" times the part of it that
the mean needs (covariances times weights): the same arithmetic as ours, not the price of calling predict().
"""
import json
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

DIMENSION = 5


def microseconds(call, seconds=0.3):
    call()
    repeats, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        call()
        repeats += 1
    return 1e6 * (time.process_time() - start) / repeats


def main(sizes):
    rng = np.random.default_rng(1)
    table = {}
    for n in sizes:
        points = rng.normal(size=(n, DIMENSION))
        values = -0.5 * (points**2).sum(axis=1)
        kernel = ConstantKernel(50.0) * RBF(np.full(DIMENSION, 0.8))
        gp = GaussianProcessRegressor(kernel, alpha=50e-10, optimizer=None).fit(points, values)
        one = rng.normal(size=(1, DIMENSION))
        two = rng.normal(size=(2, DIMENSION))
        many = rng.normal(size=(256, DIMENSION))
        table[n] = {
            "mean": microseconds(lambda: gp.kernel_(one, gp.X_train_) @ gp.alpha_),
            "variance": microseconds(lambda: gp.predict(one, return_std=True)),
            "pair": microseconds(lambda: gp.predict(two, return_cov=True)),
            "batch": microseconds(lambda: gp.predict(many, return_std=True)) / 256,
        }
    json.dump(table, sys.stdout)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [250, 500, 1000, 2000, 4000])
