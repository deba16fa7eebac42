#!/usr/bin/env python3
"""Makes the page on large n of the JSON lines of bench_large and bench_large_auto.

Usage: bench/large_table.py FILE
"""
import json
import pathlib
import sys

SWITCH = {"gp-mh": 2000, "gp-mala": 300}  # measured_local_form in src/hunch/surrogate/local_process.cpp
TEXT = pathlib.Path(__file__).with_name("large_text.md")


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def read(path):
    runs = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    gp, refits, auto, errors, paid = {}, [], [], {}, []
    for run in runs:
        if run["method"] == "auto":
            auto.append(run)
        elif run["form"] == "accuracy":
            errors.setdefault((run["method"], run["d"], run["n"]), {})[run["of"]] = run["rms"]
        elif run["form"] == "paid":
            paid.append(run)
        elif run["form"] == "refit":
            refits.append(run)
        else:
            time = 1e6 * run["cpu"] / run["iterations"]
            gp[run["method"], run["d"], run["n"], run["form"], run["learning"]] = (time, run)
    return gp, refits, auto, errors, paid


def used(method, n):
    return "local" if n >= SWITCH[method] else "dense"


def cell(gp, method, d, n, form, learning):
    found = gp.get((method, d, n, form, learning))
    return number(found[0]) if found else "-"


def time_used(gp, method, d, n, learning):
    return gp[method, d, n, used(method, n), learning][0]


def table(gp, method):
    print(f"\n## {method}\n")
    print("| d | n | learning: dense | local | used | of n = 500 | frozen: dense | local | used | of n = 500 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for d in sorted({key[1] for key in gp}):
        for n in sorted({key[2] for key in gp}):
            cells = []
            for learning in (True, False):
                mine = time_used(gp, method, d, n, learning)
                cells += [cell(gp, method, d, n, "dense", learning), cell(gp, method, d, n, "local", learning),
                          f"**{number(mine)}**", number(mine / time_used(gp, method, d, 500, learning))]
            print(f"| {d} | {n} | " + " | ".join(cells) + " |")


def worst(gp):
    """The largest cost at n = 10,000 over that of the dense form at n = 500, and where."""
    ratios = []
    for method in SWITCH:
        for d in sorted({key[1] for key in gp}):
            for learning in (True, False):
                dense = gp[method, d, 500, "dense", learning][0]
                here = time_used(gp, method, d, 10000, learning)
                ratios.append((here / dense, f"{method}, d = {d}, {'learning' if learning else 'frozen'}"))
    return max(ratios)


def main():
    gp, refits, auto, errors, paid = read(sys.argv[1])
    before, after = TEXT.read_text().split("<!-- tables -->\n")
    print(before, end="")
    ratio, where = worst(gp)
    print(f"The cost at n = 10,000 is at most {number(ratio)} times that of the dense form at n = 500 ({where}).")
    for method in SWITCH:
        table(gp, method)
    print("\n## Accuracy\n\nRoot mean square error of the believed log-likelihood at proposals, in nats: the dense "
          "form on all n points, and the local\none by the number of neighbours of each end. Hyperparameters are "
          "fitted as in a run.\n")
    sizes = ["8", "16", "32", "64", "96"]
    print("| | d | n | dense | " + " | ".join(sizes) + " |")
    print("|---|---|---|---|" + "---|" * len(sizes))
    for (method, d, n), of in errors.items():
        cells = [f"{of[size]:.3f}" if size in of else "-" for size in ["dense"] + sizes]
        print(f"| {method} | {d} | {n} | " + " | ".join(cells) + " |")
    print("\nWhat that costs: chains of gp-mh that learn from every evaluation, over the second half of their "
          "iterations.\n")
    print("| d | iterations | form | points held at the end | evaluations per 100 iterations "
          "| moves per 100 | evaluations per move |")
    print("|---|---|---|---|---|---|---|")
    for run in paid:
        form = "always dense" if run["of"] == "dense" else "local from 1000 points on already"
        print(f"| {run['d']} | {run['n']} | {form} | {run['held']} | {number(run['evaluations'])} "
              f"| {number(run['moves'])} | {number(run['evaluations'] / run['moves'])} |")
    print("\n## Refits\n\nBurn-in refits when the evaluations have grown by 1.4: one fit to a bounded number of "
          "points, then every evaluation\nis offered again.\n")
    print("| | d | n | points held | seconds | us per evaluation offered |")
    print("|---|---|---|---|---|---|")
    for run in refits:
        print(f"| {run['method']} | {run['d']} | {run['n']} | {run['held']} | {number(run['cpu'])} "
              f"| {number(1e6 * run['cpu'] / run['n'])} |")
    print("\n## auto\n")
    print("| d | evaluations so far | kept draws timed | us per kept draw |")
    print("|---|---|---|---|")
    for run in auto:
        per_draw = number(1e6 * run["cpu"] / run["kept"]) if run["kept"] else "-"
        print(f"| {run['d']} | {run['n']} | {run['kept']} | {per_draw} |")
    print(after, end="")


main()
