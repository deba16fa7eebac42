"""Each example is run as its README says, with fewer draws: it must give its posterior, its books and its summary."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])
ROOT = pathlib.Path(__file__).resolve().parents[2]
CONVERGED, NOT_CONVERGED = 0, 3
CHAINS, WARMUP, DRAWS = 4, 200, 250

# Posterior means and sds, by sums over a fine grid. A mean of 1000 draws may be off by one sd: the seed is fixed, and
# even with as few as 25 effective draws that is 5 standard errors. A wrong rate or noise moves the means further.
POSTERIORS = {
    "python-worker": {"beta": (1.5545, 0.0341), "gamma": (0.5329, 0.0273), "sigma": (0.2325, 0.0536)},
    "shell-once": {"activity": (204.66, 10.94), "decay": (0.31488, 0.0173)},
    "um-bridge": {"start": (89.909, 1.197), "rate": (0.10087, 0.00245)},
    "c-library": {"intercept": (0.2631, 0.2175), "slope": (1.7637, 0.2624)},
}


def hunch(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Example(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy_of(self, name):
        """The example in a directory of its own, with fewer iterations; its config."""
        shutil.copytree(ROOT / "examples" / name, self.folder / name)
        config = self.folder / name / "run.toml"
        self.replace(config, r"^draws = \d+", f"draws = {DRAWS}")
        self.replace(config, r"^warmup = \d+", f"warmup = {WARMUP}")
        self.assertRegex(config.read_text(), rf"(?m)^chains = {CHAINS}\b")
        return config

    def replace(self, file, pattern, text):
        changed, count = re.subn(pattern, text, file.read_text(), flags=re.MULTILINE)
        self.assertEqual(count, 1, f"{pattern} in {file}")
        file.write_text(changed)

    def gives_its_posterior(self, name, config):
        checked = hunch("check", config)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("log-likelihood", checked.stdout)
        out = self.folder / "out"
        done = hunch("run", config, "--out", out, "--workers", 2, "--json", "--quiet")
        self.assertIn(done.returncode, (CONVERGED, NOT_CONVERGED), done.stderr)
        summary = self.json_of("summary", out)
        printed = json.loads(done.stdout)
        self.assertEqual(summary["parameters"], printed["parameters"])
        for key in ("evaluations", "iterations", "draws", "draws_sha256"):
            self.assertEqual(summary["run"][key], printed["run"][key], key)
        self.check_parameters(summary["parameters"], POSTERIORS[name])
        self.check_books(summary["run"], self.json_of("status", out))

    def json_of(self, command, out):
        done = hunch(command, out, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_parameters(self, found, expected):
        self.assertEqual(list(found), list(expected))
        for parameter, (mean, sd) in expected.items():
            row = found[parameter]
            self.assertEqual(set(row), {"mean", "sd", "q5", "median", "q95", "rhat", "ess_bulk", "ess_tail",
                                        "mcse_mean"})
            self.assertLess(abs(row["mean"] - mean), sd, parameter)
            self.assertTrue(sd / 2 < row["sd"] < sd * 2, f"sd of {parameter}: {row['sd']}")
            self.assertTrue(row["q5"] < row["median"] < row["q95"], parameter)

    def check_books(self, run, status):
        iterations = CHAINS * (WARMUP + DRAWS)
        self.assertEqual(run["iterations"], iterations)
        self.assertEqual(run["draws"], CHAINS * DRAWS)
        self.assertRegex(run["draws_sha256"], r"^[0-9a-f]{64}$")
        self.assertTrue(iterations / 20 < run["evaluations"] < iterations * 0.8, run["evaluations"])
        self.assertEqual(status["evaluations"], run["evaluations"])
        self.assertEqual(status["failed_attempts"], 0)
        self.assertEqual(status["iterations"], status["iterations_total"])
        self.assertIs(status["complete"], True)

    def test_python_worker(self):
        self.gives_its_posterior("python-worker", self.copy_of("python-worker"))

    def test_shell_once(self):
        self.gives_its_posterior("shell-once", self.copy_of("shell-once"))

    def served(self, config):
        """Starts the server of the UM-Bridge example on a free port, and has the config ask there."""
        server = subprocess.Popen([sys.executable, config.parent / "server.py", "0"], stdout=subprocess.PIPE,
                                  text=True)
        self.addCleanup(lambda: (server.kill(), server.wait(), server.stdout.close()))
        self.replace(config, r"http://127\.0\.0\.1:4242", server.stdout.readline().strip())
        return config

    def test_um_bridge(self):
        self.gives_its_posterior("um-bridge", self.served(self.copy_of("um-bridge")))

    def test_um_bridge_gradient_is_the_derivative(self):
        config = self.served(self.copy_of("um-bridge"))
        self.replace(config, r"^gradient = false", "gradient = true")
        self.gradient_holds(config)

    def gradient_holds(self, config):
        done = hunch("check", config)
        self.assertEqual(done.returncode, 0, done.stderr)
        pairs = re.findall(r"d/d \w+: model (\S+), differences (\S+)", done.stdout)
        self.assertEqual(len(pairs), 2, done.stdout)
        for model, differences in pairs:
            self.assertAlmostEqual(float(model) / float(differences), 1, delta=1e-3)

    def test_c_library(self):
        config = self.copy_of("c-library")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'src'}", "-o",
                        config.parent / "model.so", config.parent / "model.c", "-lm"], check=True, timeout=60)
        self.gradient_holds(config)
        self.gives_its_posterior("c-library", config)


class Commands(unittest.TestCase):
    def test_every_file_that_a_readme_names_exists(self):
        readmes = sorted((ROOT / "examples").glob("*/README.md"))
        self.assertEqual([r.parent.name for r in readmes], sorted([*POSTERIORS, "cpp-function"]))
        for readme in readmes:
            for path in re.findall(r"examples/\S+?\.(?:toml|py|c)\b", readme.read_text()):
                self.assertTrue((ROOT / path).is_file(), f"{readme}: {path}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
