"""The reference pages and what they are about cannot drift apart: each is compared with the program or its headers."""
import inspect
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])
PACKAGE = os.environ.get("HUNCH_PYTHON_PACKAGE", "")
ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


def hunch(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=cwd)


def sections(page):
    """The text below each second-level heading."""
    parts = re.split(r"^## (.+)$", (REFERENCE / page).read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def first_cells(text):
    """What stands in backquotes in the first column of the tables."""
    rows = re.findall(r"^\| ([^|]*`[^|]*) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


class ConfigPage(unittest.TestCase):
    def known(self, config):
        """What the program says it expects instead of zzz."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "zzz.toml").write_text(config)
            done = hunch("run", "zzz.toml", "--dry-run", cwd=folder)
        self.assertEqual(done.returncode, 2)
        found = re.search(r"expected (?:one of )?(.*)$", done.stderr)
        self.assertTrue(found, done.stderr)
        return set(re.split(r", | or ", found[1]))

    def test_keys_are_those_that_the_program_accepts(self):
        text = sections("config.md")
        problem = '[model]\nproblem = "sir"\n'
        for section in ("model", "sampler", "budget"):
            config = problem + ("zzz = 1\n" if section == "model" else f"[{section}]\nzzz = 1\n")
            table = re.split(r"^\| (?:method|key of `goal`) \|", text[section], flags=re.MULTILINE)[0]
            self.assertEqual(set(first_cells(table)), self.known(config), section)
        self.assertEqual(set(first_cells(text["budget"].split("key of `goal`")[1])),
                         self.known(problem + "[budget]\ngoal = { zzz = 1 }\n"))
        program = '[model]\ncommand = ["true"]\n[parameters]\n'
        keys = text["parameters"].split("| prior |")[0]
        self.assertEqual(set(first_cells(keys)), self.known(program + 'x = { prior = "flat", zzz = 1 }\n'))

    def test_choices_are_those_that_the_program_accepts(self):
        program, problem = '[model]\ncommand = ["true"]\n', '[model]\nproblem = "sir"\n'
        choices = {"style": program + 'style = "zzz"\n', "on_failure": program + 'on_failure = "zzz"\n',
                   "gives": '[model]\nurl = "http://a"\ngives = "zzz"\n',
                   **{key: problem + f'[sampler]\n{key} = "zzz"\n'
                      for key in ("method", "exactness", "learning", "screen", "covariance")}}
        text = (REFERENCE / "config.md").read_text()
        for key, config in choices.items():
            row = re.search(rf"^\| `{key}` \| (.*) \|", text, re.MULTILINE)[1]
            missing = {f"`{choice}`" for choice in self.known(config)} - set(re.findall(r"`[^`]+`", row))
            self.assertEqual(missing, set(), key)

    def test_defaults_are_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "run.toml").write_text('[model]\nproblem = "banana"\n[sampler]\ndraws = 2\nmethod = "mh"\n')
            hunch("run", "run.toml", "--out", "run", "--quiet", cwd=folder)
            resolved = (pathlib.Path(folder) / "run/resolved.toml").read_text()
        defaults = dict(re.findall(r"^\| `(\w+)` \|.*\| `?([^|`]+)`? \|$", (REFERENCE / "config.md").read_text(), re.MULTILINE))
        compared = set()
        for key, value in re.findall(r"^(\w+) = (.+)$", resolved, re.MULTILINE):
            if key in defaults and key not in ("draws", "method", "problem", "gradient", "data_files"):
                self.assertEqual(defaults[key].strip('"'), value.strip('"'), key)
                compared.add(key)
        self.assertLessEqual({"chains", "warmup", "seed", "tolerance", "timeout", "attempts", "on_failure"}, compared)

    def test_priors_are_those_of_the_template(self):
        families = {cell.split("(")[0] for cell in first_cells(sections("config.md")["parameters"].split("| prior |")[1])}
        with tempfile.TemporaryDirectory() as folder:
            hunch("init", cwd=folder)
            template = (pathlib.Path(folder) / "hunch.toml").read_text()
        listed = re.search(r"Priors: (.*?); each may be cut off", template, re.DOTALL)[1].replace("#", "")
        self.assertEqual(families, {name for name in re.findall(r"(\w+)(?:\([^)]*\))?(?:,|$)", re.sub(r"\([^)]*\)", "", listed))})


class CommandsPage(unittest.TestCase):
    def commands(self, *prefix):
        shown = hunch(*prefix, "--help").stdout
        if "Subcommands:" not in shown:
            yield " ".join(prefix), set(re.findall(r"(--[\w-]+)", " ".join(re.findall(r"^  (-\S+)", shown, re.MULTILINE))))
            return
        for name in re.findall(r"^  (\w+) ", shown.split("Subcommands:")[1], re.MULTILINE):
            yield from self.commands(*prefix, name)

    def test_commands_and_options_are_the_programs(self):
        text = sections("commands.md")
        text.pop("All of them")
        program = dict(self.commands())
        self.assertEqual(set(text), set(program))
        for command, options in program.items():
            self.assertEqual(set(re.findall(r"`(--[\w-]+)`", text[command])), options - {"--help"}, command)


class ExitCodesPage(unittest.TestCase):
    def test_codes_are_those_of_the_program(self):
        header = (ROOT / "src/hunch/cli/commands.hpp").read_text()
        codes = {int(code) for code in re.findall(r"^inline constexpr int exit_\w+ = (\d+);", header, re.MULTILINE)}
        page = (REFERENCE / "exit-codes.md").read_text()
        self.assertEqual({int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}, codes)


class StorePage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "run.toml").write_text('[model]\nproblem = "banana"\n[sampler]\nmethod = "mh"\nwarmup = 2\ndraws = 2\n')
        hunch("run", "run.toml", "--out", "run", "--quiet", "--seed", "3", cwd=self.folder)
        self.store = sqlite3.connect(self.folder / "run/evaluations.sqlite")
        self.addCleanup(self.store.close)

    def test_columns_are_those_of_a_real_store(self):
        text = sections("store.md")
        for table in ("evaluations", "identity"):
            found = [(name, kind) for _, name, kind, *_ in self.store.execute(f"PRAGMA table_info({table})")]
            self.assertEqual(re.findall(r"^\| `(\w+)` \| (\w+) \|", text[table], re.MULTILINE), found)
        for pragma in ("application_id", "user_version"):
            value = self.store.execute(f"PRAGMA {pragma}").fetchone()[0]
            self.assertRegex(text["identity"], rf"{pragma}` (?:is )?{value}\b")

    def test_outcomes_are_those_of_the_code(self):
        source = (ROOT / "src/hunch/evaluation/record.cpp").read_text()
        names = set(re.findall(r'"(\w+)"', re.search(r"outcome_names = {(.*?)}", source, re.DOTALL)[1]))
        row = re.search(r"^\| `outcome` .*$", (REFERENCE / "store.md").read_text(), re.MULTILINE)[0]
        self.assertEqual(set(re.findall(r"`(\w+)`", row)) - {"outcome"}, names)
        failures = (ROOT / "docs/how-to/failures.md").read_text()
        self.assertEqual(set(re.findall(r"^\| [^|]+ \| `(\w+)` \|", failures, re.MULTILINE)), names)

    def test_every_file_of_a_run_is_told(self):
        told = set(first_cells(sections("store.md")["The rest of a run's directory"]))
        self.assertEqual({path.name for path in (self.folder / "run").iterdir()} - told, set())


class ReportPage(unittest.TestCase):
    def test_every_heading_of_a_report_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.html"
            hunch("sample", "banana", "--draws", 20, "--method", "auto", "--report", report)
            headings = re.findall(r"<h2[^>]*>(.*?)</h2>", report.read_text(), re.DOTALL)
        told = (ROOT / "docs/how-to/read-the-report.md").read_text().replace("\n   ", " ")
        self.assertGreater(len(headings), 5)
        for heading in (re.sub(r"<span.*</span>|<[^>]+>", "", text).strip() for text in headings):
            if "onverged" not in heading:
                self.assertIn(f"**{heading}", told)


class CppPage(unittest.TestCase):
    def test_every_field_is_told(self):
        header = re.sub(r"//.*", "", (ROOT / "src/hunch/run/sample.hpp").read_text())
        text = sections("cpp.md")
        for struct in ("SampleOptions", "SampleResult"):
            body = re.search(rf"struct {struct} {{(.*?)\n}};", header, re.DOTALL)[1]
            fields = re.findall(r"(\w+)(?:\s*=[^;]*)?;", body)
            self.assertGreater(len(fields), 5)
            self.assertEqual(set(fields) - set(first_cells(text[struct])), set(), struct)

    def test_every_column_of_the_summary_is_told(self):
        header = (ROOT / "src/hunch/diagnostics/summary.hpp").read_text()
        columns = {name for line in re.findall(r"std::optional<double> (.*);", header) for name in line.split(", ")}
        row = re.search(r"^\| `summary` .*$", (REFERENCE / "cpp.md").read_text(), re.MULTILINE)[0]
        self.assertEqual(columns - set(re.findall(r"`(\w+)`", row)), set())


@unittest.skipUnless(PACKAGE, "the Python module was not built: configure with -DHUNCH_PYTHON=ON")
class PythonPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, PACKAGE)
        import hunch as module
        cls.module = module
        cls.text = (REFERENCE / "python.md").read_text()
        cls.sections = sections("python.md")

    def test_arguments_are_those_of_sample(self):
        arguments = set(inspect.signature(self.module.sample).parameters)
        self.assertEqual(set(first_cells(self.sections["hunch.sample"])), arguments)

    def test_every_public_name_is_told(self):
        for name in self.module.__all__:
            self.assertRegex(self.text, rf"\b{re.escape(name)}\b")

    def test_every_member_of_a_result_is_told(self):
        result = self.module.sample(lambda theta: -0.5 * theta[0] ** 2, {"x": self.module.normal(0, 1)}, draws=2, warmup=2,
                                    method="mh", progress=False)
        members = {name for name in dir(result) if not name.startswith("_")}
        told = {name.split("(")[0] for name in first_cells(self.sections["Result"])}
        self.assertEqual(told, members)


if __name__ == "__main__":
    unittest.main(verbosity=2)
