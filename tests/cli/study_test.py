"""`hunch study` as a user meets it: every run a row, peers judged like ours, bad input refused at once."""

import array
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])
KEYS = ["target", "method", "replicate", "evaluations", "ess", "ess_squares", "ess_per_evaluation", "mean_error_sd",
        "sd_ratio_min", "sd_ratio_max", "seconds"]


def study(*arguments, cwd=None):
    return subprocess.run([PROGRAM, "study", "efficiency", *arguments], capture_output=True, text=True, cwd=cwd,
                          timeout=300)


def without_seconds(rows):
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


class Rows(unittest.TestCase):
    def test_every_target_method_and_replicate_is_a_row_whatever_the_workers(self):
        arguments = ("--targets", "T1,sir", "--methods", "mh,gp-mh", "--replicates", "2", "--json")
        rows = []
        for workers in ("1", "2"):
            done = study(*arguments, "--workers", workers)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows.append(json.loads(done.stdout)["rows"])
        self.assertEqual(without_seconds(rows[0]), without_seconds(rows[1]))
        self.assertEqual([(r["target"], r["method"], r["replicate"]) for r in rows[0]],
                         [(t, m, k) for t in ("T1", "T4") for m in ("mh", "gp-mh") for k in (0, 1)])
        for row in rows[0]:
            self.assertEqual(list(row)[:len(KEYS)], KEYS)
            self.assertAlmostEqual(row["ess_per_evaluation"],
                                   min(row["ess"], row["ess_squares"]) / row["evaluations"])
            if row["method"] == "mh":
                self.assertEqual(row["evaluations"], 3004)

    def test_another_seed_gives_other_draws(self):
        answers = [study("--targets", "T1", "--methods", "mh", "--replicates", "1", "--json", "--seed", seed).stdout
                   for seed in ("1", "2")]
        errors = [json.loads(answer)["rows"][0]["mean_errors_sd"] for answer in answers]
        self.assertNotEqual(*errors)

    def test_table_names_every_method_and_plot_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("p.png", "p.svg"):
                done = study("--targets", "T1", "--methods", "mh,mala", "--replicates", "1", "--plot", name, cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()[1:3]],
                                 [["T1", "mh"], ["T1", "mala"]])
            self.assertEqual(sorted(os.listdir(folder)), ["p.png", "p.svg"])


def breadth(*arguments, cwd=None):
    return subprocess.run([PROGRAM, "study", "breadth", *arguments], capture_output=True, text=True, cwd=cwd, timeout=300)


class Breadth(unittest.TestCase):
    def test_list_names_at_least_sixty_posteriors_of_two_halves(self):
        rows = [line.split() for line in breadth("--list").stdout.splitlines()]
        self.assertGreaterEqual(len({row[0] for row in rows}), 60)
        self.assertEqual({row[4] for row in rows}, {"tune", "report"})

    def test_every_run_is_a_row_of_the_table_and_of_both_files(self):
        with tempfile.TemporaryDirectory() as folder:
            done = breadth("--posteriors", "half-normal-2,two-modes-2", "--exactness", "audited", "--seed", "3",
                           "--csv", "b.csv", "--markdown", "b.md", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "b.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            with open(os.path.join(folder, "b.md")) as file:
                markdown = file.read()
        self.assertEqual([row["posterior"] for row in rows], ["half-normal-2", "two-modes-2"])
        verdicts = {"right", "right, warned", "wrong, warned", "refused", "silently wrong"}
        for row in rows:
            self.assertIn(row["verdict"], verdicts)
            self.assertEqual((row["exactness"], row["seed"], row["d"]), ("audited", "3", "2"))
            self.assertGreater(float(row["own ms per eval"]), 0)
            self.assertLess(int(row["to bulk"]), int(row["evaluations"]))
            self.assertRegex(done.stdout, rf"(?m)^{row['posterior']} .* {row['verdict']} ")
            self.assertIn(f"| {row['posterior']} | 2 |", markdown)
        self.assertRegex(done.stdout, r"(?m)^half +group +exactness +runs +right ")
        self.assertIn("| half | group |", markdown)

    def test_bad_input_is_refused_at_once(self):
        for arguments, said in ((("--posteriors", "no-such"), "no-such"), (("--half", "third"), "tune or report"),
                                (("--exactness", "roughly"), "exact or audited"), (("--replicates", "0"), "1 or more"),
                                (("--csv", "no/such/folder/b.csv"), "no/such/folder")):
            done = breadth(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stdout, "")


class Peers(unittest.TestCase):
    def manifest(self, folder, shift, **changes):
        """Normal draws with the bimodal target's means, moved by some sds, and its sds."""
        generator = random.Random(3)
        mean, sd = (1.694055974, 0.44355978), (1.915907827, 2.399086673)
        numbers = array.array("d", (generator.gauss(mean[p] + shift * sd[p], sd[p])
                                    for _ in range(4 * 2000) for p in (0, 1)))
        with open(os.path.join(folder, "x.f64"), "wb") as file:
            numbers.tofile(file)
        run = {"target": "bimodal", "method": "other", "replicate": 0, "evaluations": 16000, "seconds": 1.5,
               "chains": 4, "length": 2000, "positions": "x.f64"}
        run.update(changes)
        path = os.path.join(folder, "peers.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"runs": [run]}, file)
        return path

    def judged(self, shift):
        with tempfile.TemporaryDirectory() as folder:
            done = study("--targets", "T1,bimodal", "--methods", "mh", "--replicates", "1", "--json", "--peers",
                         self.manifest(folder, shift))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([(r["target"], r["method"]) for r in rows],
                         [("T1", "mh"), ("bimodal", "mh"), ("bimodal", "other")])
        return rows[-1]

    def test_right_draws_of_a_peer_are_right(self):
        row = self.judged(0)
        self.assertFalse(row["failed"])
        self.assertEqual(row["evaluations"], 16000)
        self.assertEqual(row["seconds"], 1.5)
        self.assertGreater(row["ess_per_evaluation"], 0.4)
        self.assertLess(row["mean_error_sd"], 0.05)  # 4.5 standard errors of 8000 draws

    def test_wrong_draws_of_a_peer_are_wrong(self):
        row = self.judged(0.7)
        self.assertTrue(row["failed"])
        self.assertAlmostEqual(row["mean_error_sd"], 0.7, delta=0.05)
        self.assertEqual(row["verdict"], "failed without saying so")

    def test_files_that_do_not_fit_are_refused_before_any_run(self):
        for changes, word in (({"length": 1999}, "bytes"), ({"length": 2001}, "bytes"), ({"target": "T9"}, "T9"),
                              ({"chains": 0}, "no draws"), ({"positions": "y.f64"}, "y.f64")):
            with tempfile.TemporaryDirectory() as folder:
                done = study("--targets", "T1", "--methods", "mh", "--replicates", "1", "--peers",
                             self.manifest(folder, 0, **changes))
                self.assertEqual((done.returncode, done.stdout), (2, ""), changes)
                self.assertIn(word, done.stderr)


class BadInput(unittest.TestCase):
    def refused(self, *arguments, says):
        done = study(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_each_is_refused_in_one_line(self):
        self.refused("--targets", "T9", says="ar1-10")
        self.refused("--methods", "nuts", says="gp-mh")
        self.refused("--replicates", "0", says="1 or more")
        self.refused("--plot", "plot.pdf", says=".svg or .png")
        self.refused("--plot", "missing/folder/plot.png", says="plot.png")
        self.refused("--peers", "missing.json", says="missing.json")


if __name__ == "__main__":
    sys.exit(unittest.main())
