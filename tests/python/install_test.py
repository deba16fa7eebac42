"""`pip install .` without a network, and the README's Python example as a reader would paste it.

Compiling it all once more takes minutes: pip is given the folder of this build (HUNCH_BUILD). Without that, which is the
long test, it has nothing but a copy of what the source package holds.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "data", "python", "src"]


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hunch-pip-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_there(self, *command):
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        ended = subprocess.run([str(word) for word in command], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env={**clean, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        self.assertEqual(ended.returncode, 0, ended.stdout)
        return ended.stdout

    def source(self):
        """What pip is to install: this tree with its build folder, or a clean copy of the part that it needs."""
        if "HUNCH_BUILD" in os.environ:
            return ["--config-settings", f"build-dir={os.environ['HUNCH_BUILD']}", ROOT]
        copy = self.folder / "copy"
        copy.mkdir()
        for part in NEEDED:
            of, to = ROOT / part, copy / part
            shutil.copytree(of, to, ignore=shutil.ignore_patterns("__pycache__")) if of.is_dir() else shutil.copy2(of, to)
        return [copy]

    def test_pip_installs_and_the_readme_works_as_pasted(self):
        self.run_there(sys.executable, "-m", "venv", "--system-site-packages", "env")
        python = self.folder / "env" / "bin" / "python"
        self.run_there(python, "-m", "pip", "install", *self.source())

        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        section = readme.split("## From Python")[1].split("\n## ")[0]
        (self.folder / "pasted.py").write_text(re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1))
        said = self.run_there(python, "-W", "error", "pasted.py")
        self.assertRegex(said, r"(?m)^level +[0-9.]+ .*\nrate +0\.2[0-9]* ")
        self.assertRegex(said, r"half-life: [23]\.[0-9]+ days, from [0-9]+ evaluations")
        for file in ("decay.nc", "decay.html"):
            self.assertGreater((self.folder / file).stat().st_size, 1000)
        self.assertTrue((self.folder / "decay.run" / "evaluations.sqlite").exists())

        version = re.search(r"project\(hunch VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
        shown = self.run_there(python, "-m", "pip", "show", "--files", "hunch")
        self.assertIn(f"Version: {version}", shown)
        for file in ("hunch/py.typed", "hunch/_core.pyi", "hunch/__init__.py"):
            self.assertIn(file, shown)
        self.run_there(python, "-c", "import hunch, importlib.metadata as m; assert m.version('hunch') == hunch.__version__")


if __name__ == "__main__":
    unittest.main()
