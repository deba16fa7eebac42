#!/usr/bin/env python3
"""Opens the exports of write_samples with the readers people use, and compares with what was passed in.

Usage: read_back_test.py WRITE_SAMPLES     (needs numpy, xarray and netCDF4)
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import xarray

CHAINS, DRAWS, WARMUP = 4, 250, 30
WRITE_SAMPLES = sys.argv.pop(1)


class ReadBack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([WRITE_SAMPLES, cls.folder], check=True)
        cls.names = (cls.folder / "expected_names.txt").read_text(encoding="utf-8").splitlines()
        cls.theta = numpy.fromfile(cls.folder / "expected.bin").reshape(CHAINS, DRAWS, len(cls.names))
        cls.lp = numpy.fromfile(cls.folder / "expected_lp.bin").reshape(CHAINS, DRAWS)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def group(self, name):
        data = xarray.open_dataset(self.folder / "samples.nc", group=name)
        self.addCleanup(data.close)
        return data

    def test_posterior_has_the_draws_under_chain_and_draw(self):
        posterior = self.group("posterior")
        self.assertEqual(dict(posterior.sizes), {"chain": CHAINS, "draw": DRAWS})
        numpy.testing.assert_array_equal(posterior.coords["chain"], range(CHAINS))
        numpy.testing.assert_array_equal(posterior.coords["draw"], range(DRAWS))
        self.assertEqual(len(posterior.data_vars), len(self.names))
        by_own_name = {variable.attrs["long_name"]: variable for variable in posterior.data_vars.values()}
        for p, name in enumerate(self.names):
            variable = by_own_name[name]
            self.assertEqual(variable.dims, ("chain", "draw"))
            self.assertEqual(variable.dtype, numpy.float64)
            numpy.testing.assert_array_equal(variable.values, self.theta[:, :, p])

    def test_names_that_netcdf_takes_are_unchanged(self):
        posterior = self.group("posterior")
        for name in ["beta", "theta[1]", "theta[2]", "a,b", 'x"y', "µ", "lp__", "if", "a b"]:
            self.assertIn(name, posterior.data_vars)
        self.assertIn("chain_2", posterior.data_vars)

    def test_every_group_says_where_it_comes_from(self):
        for name in [None, "posterior", "sample_stats", "warmup_posterior", "evaluations"]:
            attributes = self.group(name).attrs
            self.assertEqual(attributes["created_at"], "2024-05-01T12:00:00Z")
            self.assertEqual(attributes["inference_library"], "hunch")
            self.assertEqual(attributes["inference_library_version"], "0.1.0")
            self.assertEqual(attributes["creation_library"], "hunch")
            self.assertEqual(attributes["sampling_time"], 12.5)
            self.assertEqual(attributes["tuning_steps"], WARMUP)
            self.assertEqual(attributes["method"], "gp-mh")
            self.assertEqual(int(attributes["seed"]), 2**64 - 1)

    def test_sample_stats_are_numbers_and_real_booleans(self):
        stats = self.group("sample_stats")
        numpy.testing.assert_array_equal(stats["lp"].values, self.lp)
        for name in ["accepted", "evaluated"]:
            self.assertEqual(stats[name].dtype, bool)
            self.assertEqual(stats[name].dims, ("chain", "draw"))
        moved = (numpy.diff(self.theta[:, :, 0], axis=1) != 0)
        numpy.testing.assert_array_equal(stats["accepted"].values[:, 1:], moved)
        self.assertTrue((stats["evaluated"] | ~stats["accepted"]).all())
        self.assertTrue(((stats["stage1_accept_prob"] >= 0) & (stats["stage1_accept_prob"] <= 1)).all())

    def test_warmup_has_the_same_variables(self):
        warmup = self.group("warmup_posterior")
        self.assertEqual(dict(warmup.sizes), {"chain": CHAINS, "draw": WARMUP})
        self.assertEqual(set(warmup.data_vars), set(self.group("posterior").data_vars))

    def test_evaluations_keep_outcomes_and_infinities(self):
        evaluations = self.group("evaluations")
        self.assertEqual(list(evaluations.coords["parameter"].values), self.names)
        self.assertEqual(evaluations["theta"].dims, ("evaluation", "parameter"))
        paid = numpy.fromfile(self.folder / "expected_evaluations.bin").reshape(3, len(self.names))
        numpy.testing.assert_array_equal(evaluations["theta"].values, paid)
        numpy.testing.assert_array_equal(evaluations["log_likelihood"], [-1.5, -numpy.inf, numpy.nan])
        self.assertEqual(list(evaluations["outcome"].values),
                         ["value", "zero", 'failure: no "answer", only ? bytes µ'])

    def test_csv_is_one_table_with_every_bit(self):
        with open(self.folder / "samples.csv", newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        self.assertEqual(header[:2] + header[-1:], ["chain", "draw", "lp"])
        self.assertEqual(header[2:-1], [name if name != "chain" else "chain_2" for name in self.names])
        table = numpy.array(rows, dtype=float).reshape(CHAINS, DRAWS, len(header))
        numpy.testing.assert_array_equal(table[:, :, 2:-1], self.theta)
        numpy.testing.assert_array_equal(table[:, :, -1], self.lp)

    def test_getdist_weights_give_the_mean_of_the_draws(self):
        for chain in range(CHAINS):
            table = numpy.loadtxt(self.folder / f"getdist_{chain + 1}.txt")
            self.assertEqual(table[:, 0].sum(), DRAWS)
            self.assertLess(len(table), DRAWS)
            numpy.testing.assert_array_equal(numpy.repeat(table[:, 2:], table[:, 0].astype(int), axis=0),
                                             self.theta[chain])
            numpy.testing.assert_array_equal(numpy.repeat(table[:, 1], table[:, 0].astype(int)), -self.lp[chain])
        names = [line.split("\t")[0] for line in (self.folder / "getdist.paramnames").read_text().splitlines()]
        ranges = [line.split() for line in (self.folder / "getdist.ranges").read_text().splitlines()]
        self.assertEqual([row[0] for row in ranges], names)
        self.assertEqual(ranges[0][1:], ["0", "N"])
        self.assertEqual(len(set(names)), len(self.names))


if __name__ == "__main__":
    unittest.main(verbosity=2)
