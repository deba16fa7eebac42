"""Figures that stand in several pages are those of the measured table in docs/results/efficiency.md."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["T1", "T2", "T4", "T5", "ar1-10"]
METHODS = {"plain Metropolis-Hastings": "mh", "effective draws per evaluation: plain MH": "mh",
           "GP-MH, the paper's method": "gp-mh", "the paper's method, GP-MH": "gp-mh", "emcee": "emcee",
           "OpenTURNS, random walk": "openturns", "OpenTURNS": "openturns",
           "Stan's NUTS, per gradient": "nuts", "Hunch `auto`": "auto",
           "Hunch `auto`, exact": "auto"}


def measured():
    """(target, method) -> evaluations, smallest effective sample size, the same per evaluation; the first of each."""
    rows = {}
    for line in (ROOT / "docs/results/efficiency.md").read_text().splitlines():
        cells = re.match(r"    (\S+) +(\S+) +(\d+) +(\d+) +(\d+) +([\d.]+) \(", line)
        if cells:
            evaluations, ess, squares = map(int, cells.group(3, 4, 5))
            rows.setdefault((cells[1], cells[2]), (evaluations, min(ess, squares), float(cells[6])))
    return rows


def table_rows(page):
    """The cells of each row of a page's tables, without bold."""
    text = (ROOT / page).read_text().replace("**", "")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]


class Figures(unittest.TestCase):
    def test_effective_draws_per_evaluation(self):
        table = measured()
        for page in ("README.md", "docs/comparison.md"):
            found = {METHODS[row[0]]: row[1:] for row in table_rows(page) if row[0] in METHODS}
            self.assertEqual(set(found), set(METHODS.values()), page)
            for method, cells in found.items():
                for target, cell in zip(TARGETS, cells, strict=True):
                    digits = len(cell.split(".")[1])
                    self.assertAlmostEqual(float(cell), table[target, method][2], delta=0.501 * 10**-digits,
                                           msg=f"{page}: {method}, {target}")

    def test_evaluations_to_an_audited_posterior(self):
        row, = [row for row in table_rows("README.md") if row[0].startswith("evaluations to an audited posterior")]
        self.assertEqual([int(cell) for cell in row[1:]], [measured()[target, "audited"][0] for target in TARGETS])

    def test_how_many_evaluations(self):
        names = {"T1 banana": "T1", "T2 saturation curve": "T2", "T4 SIR epidemic": "T4", "T5 logistic regression": "T5",
                 "normal, correlation 0.9": "ar1-10", "normal, condition number 100": "normal-20"}
        rows = [row for row in table_rows("docs/how-to/evaluations.md") if row[0] in names]
        self.assertEqual(len(rows), len(names))
        for name, _, evaluations, effective, audited in rows:
            told = tuple(int(cell.replace(",", "")) for cell in (evaluations, effective, audited))
            expected = (*measured()[names[name], "auto"][:2], measured()[names[name], "audited"][0])
            self.assertEqual(told, expected, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
