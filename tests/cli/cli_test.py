"""The program as a user meets it: results on stdout, errors as one clear line, exit codes that scripts can trust."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])


def hunch(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, timeout=300)


class BadInput(unittest.TestCase):
    def refused(self, *arguments, says, cwd=None):
        done = hunch(*arguments, cwd=cwd)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)

    def test_unknown_target(self):
        self.refused("paper", "table", "--targets", "T9", "--sims", "1", says=["T9", "T1", "T5"])

    def test_negative_simulations(self):
        self.refused("paper", "table", "--sims", "-3", says=["simulations", "-3", "1 or more"])

    def test_simulations_that_are_no_number(self):
        self.refused("paper", "table", "--sims", "many", says=["--sims", "many"])

    def test_t3_points_out_of_range(self):
        self.refused("paper", "table", "--sims", "1", "--targets", "T3", "--t3-points", "3", says=["t3_points", "3", "10"])

    def test_unknown_command(self):
        self.refused("frobnicate", says=["frobnicate", "sample", "paper"])

    def test_unknown_method(self):
        self.refused("sample", "sir", "--method", "hmc", says=["hmc", "gp-mh"])

    def test_unknown_problem(self):
        self.refused("sample", "flu", says=["flu", "sir"])

    def test_no_draws(self):
        self.refused("sample", "sir", "--draws", "0", says=["draws", "0", "1 or more"])

    def test_unwritable_markdown_is_refused_before_the_work_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "missing", "table.md")
            self.refused("paper", "table", "--sims", "1", "--targets", "T1", "--markdown", path, says=["table.md"])
            self.assertEqual(os.listdir(folder), [])

    def test_unwritable_figure_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused("paper", "figure", "--out", os.path.join(folder, "missing", "f"), says=["f.svg"])
            self.assertEqual(os.listdir(folder), [])


class Results(unittest.TestCase):
    def test_table_json_has_every_row_and_nothing_else_on_stdout(self):
        done = hunch("paper", "table", "--sims", "2", "--targets", "T1,T2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([(r["target"], r["method"]) for r in rows],
                         [(t, m) for t in ("T1", "T2") for m in ("MH", "GP-MH", "MALA", "GP-MALA")])
        for row in rows:
            for key in ("ar", "ess", "esjd", "eval_percent", "sd"):
                self.assertGreater(row[key], 0)
                self.assertGreaterEqual(row["mcse"][key], 0)
            if row["method"] in ("MH", "MALA"):
                self.assertEqual(row["eval_percent"], 100)
            else:
                self.assertLess(row["eval_percent"], 100 * row["ar"] + 8)
                self.assertGreaterEqual(row["eval_percent"], 100 * row["ar"])

    def test_table_does_not_depend_on_the_number_of_workers(self):
        one = hunch("paper", "table", "--sims", "3", "--targets", "T1", "--json", "--workers", "1")
        three = hunch("paper", "table", "--sims", "3", "--targets", "T1", "--json", "--workers", "3")
        self.assertEqual(one.stdout, three.stdout)

    def test_markdown_file_is_what_was_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = hunch("paper", "table", "--sims", "1", "--targets", "T1", "--markdown", "t.md", cwd=folder)
            with open(os.path.join(folder, "t.md"), encoding="utf-8") as file:
                self.assertEqual(file.read(), done.stdout)
            self.assertEqual(os.listdir(folder), ["t.md"])

    def test_figure_writes_both_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            done = hunch("paper", "figure", "--out", "f", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["f.png", "f.svg"])

    def test_sample_is_the_same_for_any_number_of_workers(self):
        arguments = ("sample", "saturation", "--draws", "300", "--json")
        answers = []
        for workers in ("1", "4"):
            answer = json.loads(hunch(*arguments, "--workers", workers).stdout)
            del answer["run"]["seconds"]
            answers.append(answer)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(list(answers[0]["parameters"]), ["a", "b", "log_sigma"])

    def test_too_few_draws_end_in_exit_code_3(self):
        done = hunch("sample", "sir", "--draws", "20", "--warmup", "50")
        self.assertEqual(done.returncode, 3)
        self.assertIn("not converged", done.stderr)
        self.assertIn("rhat", done.stdout)

    def test_problems_lists_the_papers_five_and_the_further_ones(self):
        done = hunch("problems")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()],
                         ["T1", "T2", "T3", "T4", "T5", "ar1-10", "eight-schools", "normal-20", "bimodal", "cliff",
                          "rough", "funnel", "spike", "rosenbrock-20"])


if __name__ == "__main__":
    sys.exit(unittest.main())
