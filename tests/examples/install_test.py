"""Hunch is installed into an empty prefix; the C++ example finds it there, compiles, and gives its posterior."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

CMAKE = os.environ["HUNCH_CMAKE"]
BUILD = pathlib.Path(os.environ["HUNCH_BUILD"])
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Posterior means and sds by sums over a grid of 320 x 320 x 160 points (three more digits than the tests need).
# A mean may be off by 4.9 Monte Carlo errors of its own: the seed is fixed, and for a right program three such checks
# would fail with probability 3e-6. The largest Monte Carlo error allowed keeps the check sharp.
POSTERIOR = {"activity": (98.919, 8.266), "rate": (0.28952, 0.03751), "background": (10.314, 2.908)}
MOST_ERRORS, MOST_ERROR_IN_SDS = 4.9, 0.1
LINE = re.compile(r"^(\w+) +mean +(\S+) +sd +(\S+) +mcse +(\S+) +R-hat +(\S+) +ESS +(\S+)$", re.MULTILINE)
BILL = re.compile(r"^(\d+) iterations, (\d+) evaluations, (\d+) of them paid for now$", re.MULTILINE)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.prefix = cls.folder / "prefix"
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.build = cls.folder / "build"
        run(CMAKE, "-S", ROOT / "examples/cpp-function", "-B", cls.build, "-G", os.environ["HUNCH_GENERATOR"],
            f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DCMAKE_CXX_COMPILER={os.environ['HUNCH_CXX']}",
            f"-DCMAKE_BUILD_TYPE={os.environ['HUNCH_BUILD_TYPE']}",
            f"-DCMAKE_CXX_FLAGS={os.environ['HUNCH_CXX_FLAGS']} -Wall -Wextra -Werror",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        run(CMAKE, "--build", cls.build)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_example_is_compiled_against_nothing_of_the_source_tree(self):
        commands = (self.build / "compile_commands.json").read_text()
        self.assertIn(str(self.prefix / "include"), commands)
        self.assertNotIn(str(ROOT / "src"), commands)
        package = "".join(file.read_text() for file in self.prefix.rglob("*.cmake"))
        self.assertNotIn(str(ROOT), package)

    def test_the_example_is_short(self):
        self.assertLessEqual(len((ROOT / "examples/cpp-function/main.cpp").read_text().splitlines()), 40)

    def test_the_c_interface_and_the_program_are_there(self):
        self.assertTrue((self.prefix / "include/hunch/model/hunch_model.h").is_file())
        self.assertIn("sir", run(self.prefix / "bin/hunch", "problems").lower())

    def test_the_example_gives_its_posterior(self):
        out = run(self.build / "decay")
        lines = {name: tuple(map(float, numbers)) for name, *numbers in LINE.findall(out)}
        self.assertEqual(list(lines), list(POSTERIOR), out)
        for name, (mean, sd, error, rhat, _) in lines.items():
            self.assertLess(abs(mean - POSTERIOR[name][0]), MOST_ERRORS * error, out)
            self.assertLess(error, MOST_ERROR_IN_SDS * POSTERIOR[name][1], out)
            self.assertLess(abs(sd / POSTERIOR[name][1] - 1), 0.15, out)
            self.assertLessEqual(rhat, 1.01, out)
        iterations, evaluations, paid = map(int, BILL.search(out).groups())
        self.assertEqual(evaluations, paid)
        self.assertLess(evaluations, iterations)

    def test_a_kept_run_costs_nothing_again_and_the_program_reads_it(self):
        first, again = (run(self.build / "decay", self.folder / "kept") for _ in range(2))
        self.assertEqual(LINE.findall(again), LINE.findall(first))
        self.assertEqual(BILL.search(again)[2], BILL.search(first)[2])
        self.assertEqual(BILL.search(again)[3], "0")
        told = json.loads(run(self.prefix / "bin/hunch", "summary", self.folder / "kept", "--json"))["parameters"]
        self.assertEqual([f"{p['mean']:.5f}" for p in told.values()], [line[1] for line in LINE.findall(first)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
