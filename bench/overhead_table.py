#!/usr/bin/env python3
"""Makes Markdown of the JSON lines of bench_overhead and overhead_peers.py.

Usage: bench/overhead_table.py FILE
"""
import collections
import json
import pathlib
import statistics
import sys

EMCEE = ("emcee", "vectorised, 256 walkers")
OPENTURNS = ("openturns", "random walk, SymbolicFunction")


class Row:
    """One case over all repetitions; times in microseconds."""

    def __init__(self, runs):
        self.first = runs[0]
        self.per_iteration = [1e6 * run["cpu"] / run["iterations"] for run in runs]
        self.per_evaluation = [1e6 * run["cpu"] / run["evaluations"] for run in runs]
        self.wall_per_evaluation = [1e6 * run.get("wall", 0) / run["evaluations"] for run in runs]
        self.rate = statistics.median(run["evaluations"] / run["iterations"] for run in runs)
        self.n = statistics.median(run.get("n", 0) for run in runs)
        self.warmup = statistics.median(run.get("warmup_cpu", 0) for run in runs)

    def time(self):
        return statistics.median(self.per_iteration)


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def with_range(times):
    return f"{number(statistics.median(times))} ({number(min(times))} to {number(max(times))})"


def read(path):
    """The rows by (who, what, how, d), and the times of a bare sync."""
    runs = collections.defaultdict(list)
    density, syncs = {}, []
    for line in pathlib.Path(path).read_text().splitlines():
        run = json.loads(line)
        if run["who"] == "sync":
            syncs.append(1e6 * run["wall"] / run["count"])
            continue
        if run["who"] == "hunch":
            key = ("hunch", run["method"], "store" if run["store"] else run["learning"], run["d"])
        else:
            key = (run["who"], run["variant"], "", run["d"])
        runs[key].append(run)
        expected = density.setdefault(run["d"], run["at_ones"])
        if abs(run["at_ones"] - expected) > 1e-9:
            sys.exit(f"{key} has another density: {run['at_ones']} at ones, not {expected}")
    return {key: Row(several) for key, several in runs.items()}, syncs


def break_even(rows, method, learning, d):
    """The cost of an evaluation, in microseconds, above which the screen is worth its time."""
    plain = rows.get(("hunch", method.removeprefix("gp-"), "freeze", d))
    mine = rows["hunch", method, learning, d]
    if not method.startswith("gp-") or plain is None or mine.rate >= plain.rate:
        return "-"
    return number(max(0.0, (mine.time() - plain.time()) / (plain.rate - mine.rate)))


def table(rows, d):
    print(f"\n## d = {d}\n")
    print("| | n | us per iteration | / emcee | / OpenTURNS | evaluations per iteration | us per evaluation "
          "| store: us per evaluation, wall | screen pays above, us |")
    print("|---|---|---|---|---|---|---|---|---|")
    emcee, openturns = rows[*EMCEE, "", d].time(), rows[*OPENTURNS, "", d].time()
    for (who, what, learning, dimension), row in rows.items():
        if dimension != d or learning == "store":
            continue
        name, n, store, pays = f"{who}: {what}", "-", "-", "-"
        if who == "hunch":
            store = with_range(rows[who, what, "store", d].wall_per_evaluation)
            name = f"**{what}**"
            if row.first["surrogate"]:
                name += ", frozen" if learning == "freeze" else ", learning"
                n = number(row.n) if row.n else "-"
                pays = break_even(rows, what, learning, d)
        print(f"| {name} | {n} | {with_range(row.per_iteration)} | {number(row.time() / emcee)} "
              f"| {number(row.time() / openturns)} | {number(row.rate)} | {with_range(row.per_evaluation)} "
              f"| {store} | {pays} |")


def conclusions(rows, syncs):
    ours = {key: row for key, row in rows.items() if key[0] == "hunch" and key[2] != "store"}
    worst = max(ours, key=lambda key: statistics.median(ours[key].per_evaluation))
    cost = statistics.median(ours[worst].per_evaluation)
    stored = [statistics.median(row.wall_per_evaluation) for key, row in rows.items() if key[2] == "store"]
    fits = max(ours, key=lambda key: ours[key].warmup)
    print(f"""
## What to conclude

- Screening solves with a triangle of n rows for each proposal, and learning does so again for each evaluation: O(n^2),
  which no sampler without a surrogate pays. With gradients it is 2 (d + 1) solves with n (d + 1) rows: O(n^2 d^3).
- The dearest case is {worst[1]}, `{worst[2]}`, in d = {worst[3]}: {number(cost)} us for each evaluation paid for. An
  evaluation above {number(cost / 1e4)} s makes that less than 1%.
- The store costs {number(min(stored))} to {number(max(stored))} us for each evaluation (medians); writing one page and
  syncing it, on the same disk in the same run, {with_range(syncs)} us. An evaluation above
  {number(max(stored) / 1e4)} s makes it less than 1%.
- `auto` and `transition` make long moves of free steps, and learn by refitting now and then; theirs is the cost of a kept
  draw that is nearly independent of the one before.
- Burn-in with its fits (1000 iterations; `auto` ends its own) took at most {number(ours[fits].warmup)} s of CPU ({fits[1]}, d = {fits[3]}).""")


def main():
    rows, syncs = read(sys.argv[1])
    for d in sorted({key[3] for key in rows}):
        table(rows, d)
    conclusions(rows, syncs)


main()
