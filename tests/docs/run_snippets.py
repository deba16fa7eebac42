"""Runs the fenced blocks of documentation pages, page by page and in order, each page in a fresh folder.

Usage: run_snippets.py PAGE.md...
HUNCH_PROGRAM is the program. HUNCH_PYTHON_PACKAGE is the folder of the Python package, or empty if it was not built.
HUNCH_BUILD and HUNCH_CMAKE are needed by pages with C++: the library is installed from there.

The folder has a copy of examples/ and a link to src/; `hunch` and Debian's `python3` are first on the path.

    ```sh                    is run by bash, and ends with exit code 0
    ```python                is run by python3; needs the package if it imports it
    ```LANGUAGE title="F"    is written to the file F, for later blocks
    ```toml                  without a title: a config, or sections of one, that `hunch run --dry-run` accepts
    ```text, ```json         is shown only

A comment on the line before a block changes that:

    <!-- exits: 3 -->              the exit code is another
    <!-- output -->                (text) is what the block before printed: the same words, other numbers; a line ...
                                   stands for any lines
    <!-- goes on -->               (python) is run after the text of the python block before, in one program
    <!-- background until: T -->   (sh) stays up until the page ends; the next block waits for a line with T
    <!-- not run: reason -->       says why it is not
"""
import dataclasses
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = {"sh", "python", "toml", "cpp", "c", "cmake", "text", "json", "csv"}
NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
REST_OF_CONFIG = {"[model]": '[model]\ncommand = ["true"]\n', "[parameters]": '[parameters]\nx = { prior = "normal(0, 1)" }\n'}
SECONDS = 300


class Wrong(Exception):
    """Something in a page is not as it says; the text names the page and the line."""


class Skipped(Exception):
    """A page that cannot be run here, and why."""


@dataclasses.dataclass
class Block:
    line: int
    language: str
    title: str
    mark: str  # what the comment says, or nothing
    text: str


def blocks_of(page_text):
    """The fenced blocks of a page. A fence without a language is a mistake: nobody would know whether it runs."""
    blocks, lines = [], page_text.split("\n")
    number = 0
    while number < len(lines):
        opening = re.match(r"^( *)```(\w*)(.*)$", lines[number])
        if not opening:
            number += 1
            continue
        title = re.search(r'title="([^"]+)"', opening[3])
        comment = re.match(r"^ *<!-- (.*) -->$", lines[number - 1]) if number else None
        end = number + 1
        while not re.match(r"^ *```\s*$", lines[end]):
            end += 1
        indent = len(opening[1])
        text = "\n".join(line[indent:] for line in lines[number + 1:end]) + "\n"
        blocks.append(Block(number + 1, opening[2], title[1] if title else "", comment[1] if comment else "", text))
        number = end + 1
    return blocks


def shape(text):
    """Words without numbers and units of time, one entry for each line that has any."""
    lines = [re.sub(r"# (us|ms|s|min|h)\b", "#", re.sub(r"\s+", " ", NUMBER.sub("#", line))).strip()
             for line in text.split("\n")]
    return [line for line in lines if line]


def has_shape(printed, shown):
    """Whether shown, with ... for any lines, is what was printed."""
    def fits(p, s):
        if not s:
            return not p
        if s[0] == "...":
            return any(fits(p[i:], s[1:]) for i in range(len(p) + 1))
        return bool(p) and p[0] == s[0] and fits(p[1:], s[1:])
    return fits(shape(printed), shape(shown))


class Page:
    def __init__(self, path, folder, environment):
        self.path, self.folder, self.environment = path, folder, environment
        self.printed = ""
        self.python = ""
        self.background = []

    def refuse(self, block, what):
        raise Wrong(f"{self.path.relative_to(ROOT)}:{block.line}: {what}")

    def run(self, block):
        if block.language not in LANGUAGES:
            self.refuse(block, f"got the language '{block.language}', expected one of {', '.join(sorted(LANGUAGES))}")
        if block.mark.startswith("not run"):
            if not re.match(r"not run: \S", block.mark):
                self.refuse(block, "not run without a reason")
        elif block.title:
            file = self.folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        elif block.mark == "output":
            if not has_shape(self.printed, block.text):
                self.refuse(block, f"shows\n{block.text}\nbut what was printed is\n{self.printed}")
        elif block.language == "sh":
            self.run_shell(block)
        elif block.language == "python":
            self.run_python(block)
        elif block.language == "toml":
            self.check_config(block)
        elif block.language not in ("text", "json", "csv"):
            self.refuse(block, "has no title, is not run, and does not say why")

    def run_shell(self, block):
        until = re.match(r"background until: (.+)", block.mark)
        if until:
            return self.start(block, until[1])
        self.execute(block, ["bash", "-euo", "pipefail", "-c", block.text])

    def run_python(self, block):
        self.python = (self.python if block.mark == "goes on" else "") + block.text
        file = self.folder / "block.py"
        file.write_text(self.python)
        self.execute(block, ["python3", file.name])

    def check_config(self, block):
        text = block.text + "".join(rest for head, rest in REST_OF_CONFIG.items()
                                    if head not in block.text and "problem =" not in block.text)
        (self.folder / "fragment.toml").write_text(text)
        self.execute(block, ["hunch", "run", "fragment.toml", "--dry-run"])

    def execute(self, block, command):
        expected = int(block.mark.removeprefix("exits: ")) if block.mark.startswith("exits: ") else 0
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=SECONDS, stdin=subprocess.DEVNULL)
        self.printed = done.stdout
        if done.returncode != expected:
            self.refuse(block, f"exit code {done.returncode}, expected {expected}\n{block.text}\n{done.stdout}\n"
                               f"{done.stderr}")

    def start(self, block, text):
        process = subprocess.Popen(["bash", "-c", "exec " + block.text.strip()], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.background.append(process)
        said, deadline = b"", time.monotonic() + SECONDS
        while text.encode() not in said:
            ready, _, _ = select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))
            more = os.read(process.stdout.fileno(), 65536) if ready else b""
            if not more:
                self.refuse(block, f"ended or said nothing like '{text}': {said.decode(errors='replace')}")
            said += more
        self.printed = said.decode(errors="replace")

    def end(self):
        for process in self.background:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def install(folder):
    """The library in an empty prefix, for pages that compile against it."""
    subprocess.run([os.environ["HUNCH_CMAKE"], "--install", os.environ["HUNCH_BUILD"], "--prefix", folder],
                   check=True, capture_output=True)


def environment_of(scratch, blocks):
    tools = scratch / "tools"
    tools.mkdir()
    (tools / "hunch").symlink_to(os.path.abspath(os.environ["HUNCH_PROGRAM"]))
    (tools / "python3").symlink_to("/usr/bin/python3")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    package = os.environ.get("HUNCH_PYTHON_PACKAGE", "")
    needs = [block for block in blocks if block.language == "python" and re.search(r"^import hunch\b", block.text, re.M)]
    if needs and not package:
        raise Skipped("the Python module was not built: configure with -DHUNCH_PYTHON=ON")
    environment["PYTHONPATH"] = package
    if any(block.language == "cmake" for block in blocks):
        install(scratch / "prefix")
        environment["CMAKE_PREFIX_PATH"] = str(scratch / "prefix")
    return environment


def run_page(path):
    """How many blocks were run."""
    blocks = blocks_of(path.read_text())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "page"
        folder.mkdir()
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "out")
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=ignored)
        (folder / "src").symlink_to(ROOT / "src")
        page = Page(path, folder, environment_of(pathlib.Path(scratch), blocks))
        try:
            for block in blocks:
                page.run(block)
        finally:
            page.end()
    return len(blocks)


SKIPPED = 77  # ctest counts it as skipped


def main():
    ending = 0
    for name in sys.argv[1:]:
        path = pathlib.Path(name).resolve()
        try:
            print(f"{path.relative_to(ROOT)}: {run_page(path)} blocks hold")
        except Wrong as wrong:
            print(wrong)
            ending = 1
        except Skipped as why:
            print(f"{path.relative_to(ROOT)} is skipped: {why}")
            ending = ending or SKIPPED
    return ending


if __name__ == "__main__":
    sys.exit(main())
