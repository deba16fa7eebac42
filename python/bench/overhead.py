"""The table of scripts/bench-python: CPU time per iteration from Python and from C++, same draws, interleaved.

Usage: overhead.py BENCH_PLAIN REPETITIONS     (hunch must be importable)
"""
import statistics
import subprocess
import sys
import time
import warnings

import hunch

CASES = [("mh", 500, 50_000), ("gp-mh", 500, 50_000)]
PRIORS = {"x": hunch.normal(0, 3), "y": hunch.normal(0, 3)}


def log_likelihood(theta):
    return -0.5 * (theta[0] * theta[0] + theta[1] * theta[1])


def by_name(x, y):
    return -0.5 * (x * x + y * y)


def vectorized(theta):
    return -0.5 * (theta[:, 0] * theta[:, 0] + theta[:, 1] * theta[:, 1])


WAYS = {"an array": (log_likelihood, {}), "by name": (by_name, {}), "vectorised": (vectorized, {"vectorized": True})}


def from_python(way, method, warmup, draws, seed):
    function, options = WAYS[way]
    begun = time.process_time()
    result = hunch.sample(function, PRIORS, method=method, learning="freeze", chains=1, warmup=warmup, draws=draws, seed=seed,
                          progress=False, **options)
    seconds = time.process_time() - begun
    return 1e6 * seconds / result.counts["iterations"], result.counts["iterations"], result._sampled.draws_sha256(), result


def from_cpp(program, method, warmup, draws, seed):
    words = subprocess.run([program, method, str(warmup), str(draws), str(seed)], capture_output=True, text=True,
                           check=True).stdout.split()
    return 1e6 * float(words[0]) / int(words[1]), int(words[1]), words[2]


def main(program, repetitions):
    warnings.simplefilter("ignore", hunch.SamplingWarning)
    times, evaluated = {}, {}
    for seed in range(1, repetitions + 1):
        for method, warmup, draws in CASES:
            plain, iterations, digest = from_cpp(program, method, warmup, draws, seed)
            times.setdefault((method, "C++"), []).append(plain)
            for way in WAYS:
                spent, same_iterations, same_digest, result = from_python(way, method, warmup, draws, seed)
                if (iterations, digest) != (same_iterations, same_digest):
                    raise SystemExit(f"{method}, {way}, seed {seed}: not the same draws as C++")
                times.setdefault((method, way), []).append(spent)
                evaluated[method] = 100 * result.evaluations / iterations
    print("| method | evaluations per 100 iterations | C++ | " + " | ".join(f"{way}, more" for way in WAYS) + " |")
    print("|---" * (3 + len(WAYS)) + "|")
    for method, _, _ in CASES:
        plain = times[method, "C++"]
        more = [[b - a for a, b in zip(plain, times[method, way])] for way in WAYS]
        cells = [f"{statistics.median(m):.1f} ({min(m):.1f} to {max(m):.1f})" for m in more]
        print(f"| {method} | {evaluated[method]:.0f} | {statistics.median(plain):.1f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
