"""The page about a run, from outside: when it is written, what it says, and that the same run makes the same page."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HUNCH_PROGRAM"]

CONFIG = """[model]
problem = "{problem}"
[sampler]
method = "{method}"
chains = 2
warmup = 60
draws = {draws}
{more}
"""


def hunch(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=False)


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_config(self, *words, problem="T1", method="gp-mh", draws=150, more=""):
        (self.folder / "run.toml").write_text(CONFIG.format(problem=problem, method=method, draws=draws, more=more))
        return hunch(self.folder, "run", "run.toml", "--out", "run", "--quiet", *words)

    def page(self, name="run/report.html"):
        return (self.folder / name).read_text()

    def verdict(self, name="run/report.html"):
        return re.search(r'<section class="verdict (\w+)"', self.page(name))[1]

    def test_a_run_ends_with_its_report_and_says_where(self):
        done = self.run_config()
        self.assertIn("run/report.html", done.stdout)
        self.assertEqual(self.verdict(), {0: "good", 3: "bad"}[done.returncode])

    def test_report_from_the_store_is_the_one_the_run_wrote(self):
        self.run_config()
        done = hunch(self.folder, "report", "run", "--output", "again.html")
        self.assertEqual((done.returncode, done.stdout), (0, "again.html\n"))
        without_times = lambda text: re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z|<section id=\"time\".*?</section>", "", text, flags=re.S)
        self.assertEqual(without_times(self.page("again.html")), without_times(self.page()))

    def test_every_evaluation_of_the_bill_is_one_of_the_store(self):
        self.run_config(method="auto", draws=60)
        status = hunch(self.folder, "status", "run")
        paid = int(re.search(r"(\d+) evaluations on record", status.stdout)[1])
        self.assertIn(f"<dd>{paid:,}</dd><dt>likelihood evaluations", self.page())

    def test_a_spent_budget_is_told_with_the_way_on(self):
        done = self.run_config("--max-evals", "20")
        self.assertEqual(done.returncode, 5)
        self.assertIn("The budget of evaluations is spent.", self.page())
        self.assertIn("hunch resume run", self.page())

    def test_an_audited_run_shows_its_certificate(self):
        done = self.run_config(method="auto", draws=100, more='exactness = "audited"')
        expected = "Certificate passed" if "CERTIFICATE: PASS" in done.stdout else "No certificate, so no draws"
        self.assertIn(expected, self.page())

    def test_a_directory_without_a_run_is_refused_in_one_line(self):
        for command in ("report", "watch"):
            done = hunch(self.folder, command, "nowhere")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn("nowhere", done.stderr)

    def test_sample_writes_a_report_that_says_how_to_repeat_it(self):
        hunch(self.folder, "sample", "T1", "--draws", "100", "--chains", "2", "--seed", "5", "--report", "page.html")
        page = self.page("page.html")
        command = re.search(r"hunch sample [^<\n]*", page)[0].split()
        self.assertIn("5", command)
        hunch(self.folder, *command[1:], "--report", "again.html")
        digest = lambda text: re.search(r"SHA-256 of the draws</bdi></th><td[^>]*><bdi>(\w+)", text)[1]
        self.assertEqual(digest(page), digest(self.page("again.html")))


if __name__ == "__main__":
    unittest.main()
