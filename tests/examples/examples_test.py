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
CHAINS, DRAWS = 4, 250

# Posterior means and sds: of two or three parameters by sums over a fine grid, of five by reference.py. A mean of 1000
# draws may be off by one sd: the seed is fixed, and even with as few as 25 effective draws that is 5 standard errors. A
# wrong rate or noise moves the means further.
POSTERIORS = {
    "epidemic": {"r0": (1.853, 0.2083), "days": (4.302, 0.9746), "start": (9.464, 1.968),
                 "reported": (0.2880, 0.02914), "spread": (0.2401, 0.03376)},
    "diffusion": {"a": (0.4015, 0.007006), "b": (-0.5883, 0.02072), "c": (0.5075, 0.02115), "d": (0.3170, 0.03953),
                  "e": (-0.3832, 0.02868)},
    "pharmacokinetics": {"ka": (1.130, 0.07617), "clearance": (4.346, 0.4348), "volume": (29.23, 0.925),
                         "between": (0.2664, 0.08597), "error": (0.1366, 0.01328)},
    "shell-once": {"activity": (204.66, 10.94), "decay": (0.31488, 0.0173)},
    "um-bridge": {"start": (89.909, 1.197), "rate": (0.10087, 0.00245)},
    "c-library": {"intercept": (0.2631, 0.2175), "slope": (1.7637, 0.2624)},
}
# What the made-up data were made with. Each is within 2.6 sds of the mean of its posterior (99 %, by the references
# above, which are fixed): a model that is not the data's own would not be.
TRUTHS = {
    "epidemic": {"r0": 1.8, "days": 4, "start": 8, "reported": 0.3, "spread": 0.2},
    "diffusion": {"a": 0.4, "b": -0.6, "c": 0.5, "d": 0.3, "e": -0.4},
    "pharmacokinetics": {"ka": 1.2, "clearance": 4, "volume": 30, "between": 0.3, "error": 0.15},
}


def hunch(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)


class Example(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy_of(self, name):
        """The example in a directory of its own, with fewer draws; its config."""
        shutil.copytree(ROOT / "examples" / name, self.folder / name)
        config = self.folder / name / "run.toml"
        self.replace(config, r"^draws = \d+", f"draws = {DRAWS}")
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
        self.assertEqual(run["draws"], CHAINS * DRAWS)
        self.assertRegex(run["draws_sha256"], r"^[0-9a-f]{64}$")
        self.assertEqual(status["evaluations"], run["evaluations"])
        self.assertLess(run["evaluations"], 2 * CHAINS * DRAWS)
        self.assertEqual(status["failed_attempts"], 0)
        self.assertIs(status["complete"], True)

    def data_are_what_the_script_makes(self, config, data, *arguments):
        kept = (config.parent / data).read_text()
        (config.parent / data).unlink()
        subprocess.run([sys.executable, config.parent / "make_data.py", *arguments], check=True, timeout=120)
        self.assertEqual((config.parent / data).read_text(), kept)

    def test_epidemic(self):
        config = self.copy_of("epidemic")
        self.data_are_what_the_script_makes(config, "cases.csv")
        self.gives_its_posterior("epidemic", config)

    def test_pharmacokinetics(self):
        config = self.copy_of("pharmacokinetics")
        self.data_are_what_the_script_makes(config, "concentrations.csv")
        self.gives_its_posterior("pharmacokinetics", config)

    def test_diffusion(self):
        config = self.copy_of("diffusion")
        simulator = config.parent / "diffusion"
        subprocess.run(["c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-o", simulator,
                        config.parent / "diffusion.cpp"], check=True, timeout=120)
        self.replace(config, r'"320"', '"64"')
        self.gives_its_posterior("diffusion", config)

    def test_diffusion_solves_the_equation(self):
        """With the conductivity 1 the head in the middle is 0.0736713 (a Fourier series), and errors fall by four."""
        simulator, wells = self.folder / "diffusion", self.folder / "wells.txt"
        subprocess.run(["c++", "-std=c++20", "-O2", "-o", simulator, ROOT / "examples/diffusion/diffusion.cpp"],
                       check=True, timeout=120)
        wells.write_text("0.5 0.5 0 1\n")
        errors = []
        for grid in ("32", "64", "128"):
            command = [simulator, "--grid", grid, "--data", wells, "--heads", *"00000"]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
            errors.append(float(done.stdout.split()[2]) - 0.07367135)
        self.assertLess(abs(errors[0]), 1e-4)
        self.assertAlmostEqual(errors[0] / errors[1], 4, delta=0.1)
        self.assertAlmostEqual(errors[1] / errors[2], 4, delta=0.2)

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


class Texts(unittest.TestCase):
    def test_truths_lie_inside_their_posteriors(self):
        for example, truths in TRUTHS.items():
            for name, truth in truths.items():
                mean, sd = POSTERIORS[example][name]
                self.assertLess(abs(truth - mean), 2.6 * sd, f"{example}: {name}")

    def test_every_file_that_a_readme_names_exists(self):
        readmes = sorted((ROOT / "examples").glob("*/README.md"))
        self.assertEqual([r.parent.name for r in readmes], sorted([*POSTERIORS, "cpp-function"]))
        for readme in readmes:
            for path in re.findall(r"(?<!tests/)examples/\S+?\.(?:toml|py|cpp|c)\b", readme.read_text()):
                self.assertTrue((ROOT / path).is_file(), f"{readme}: {path}")

    def test_tables_tell_the_posteriors(self):
        for example, parameters in POSTERIORS.items():
            rows = re.findall(r"^\| `(\w+)`.* \| (\S+) \| (\S+) \| (\S+) \|$",
                              (ROOT / "examples" / example / "README.md").read_text(), re.MULTILINE)
            if example in TRUTHS:
                self.assertEqual([row[0] for row in rows], list(parameters))
            for name, truth, mean, sd in rows:
                self.assertEqual(float(truth), TRUTHS[example][name])
                self.assertLess(abs(float(mean) - parameters[name][0]), 0.2 * parameters[name][1], name)
                self.assertLess(abs(float(sd) / parameters[name][1] - 1), 0.1, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
