"""What the crash tests share: a run of the program on the ledger-keeping worker, and what is left of it afterwards."""

import json
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
CHAINS = 4
ENDED_WELL = (0, 3)  # 3: all draws are there, but too few to call them converged

CONFIG = """\
[model]
command = {command}
gradient = {gradient}
timeout = "1m"
attempts = 3
on_failure = "stop"
data_files = ["data.txt"]
style = "{style}"

[parameters]
x = {{ prior = "normal(0, 3)", start = 0.5 }}
y = {{ prior = "normal(0, 3)", start = 0.5 }}

[sampler]
method = "{method}"
screen = "early"
learning = "continue"
covariance = "se"
chains = {chains}
warmup = {warmup}
draws = {draws}
seed = 5

[budget]
evaluations = 100000
"""


def config_text(method="gp-mh", warmup=60, draws=80, delay=5, style="worker", command=None):
    gradient = method.endswith("mala")
    command = json.dumps(command or [sys.executable, WORKER, "gradient" if gradient else "value", str(delay)])
    return CONFIG.format(command=command, gradient=str(gradient).lower(), method=method, chains=CHAINS,
                         warmup=warmup, draws=draws, style=style)


class Scene(unittest.TestCase):
    """One folder for each test; when the test is over no worker may be alive."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hunch-crash-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.no_worker_is_left)
        self.ledger = os.path.join(self.folder, "ledger")
        self.dawdling = os.path.join(self.folder, "dawdle")
        self.environment = {**os.environ, "HUNCH_LEDGER": self.ledger, "HUNCH_DAWDLE": self.dawdling}
        self.write("data.txt", "1 2 3\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, *arguments, **options):
        """In a process group of its own, as a shell would start it."""
        return subprocess.Popen([PROGRAM, *arguments], env=self.environment, start_new_session=True, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def hunch(self, *arguments, **options):
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def finished(self, done):
        """The hash of the draws of a run that came to its end."""
        self.assertIn(done.returncode, ENDED_WELL, done.stderr)
        return json.loads(done.stdout)["run"]["draws_sha256"]

    def refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def uninterrupted(self, config, name="reference"):
        run = os.path.join(self.folder, name)
        return self.finished(self.hunch("run", config, "--out", run, "--workers", "4", "--json", "--quiet"))

    def evaluated(self):
        """Every evaluation the workers answered, in order; repeats included."""
        if not os.path.exists(self.ledger):
            return []
        with open(self.ledger) as file:
            return [tuple(float.fromhex(word) for word in line.split()) for line in file]

    def forget_ledger(self):
        if os.path.exists(self.ledger):
            os.remove(self.ledger)

    def stored(self, run):
        """All rows of a run's store, read from a copy so that a journal that is still hot is left for the program."""
        source = os.path.join(run, "evaluations.sqlite")
        if not os.path.exists(source):
            return []
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copy = os.path.join(folder, "evaluations.sqlite")
            for ending in ("", "-journal"):
                if os.path.exists(source + ending):
                    shutil.copyfile(source + ending, copy + ending)
            database = sqlite3.connect(copy)
            try:
                return database.execute("SELECT * FROM evaluations ORDER BY id").fetchall()
            finally:
                database.close()

    def wait_for_evaluations(self, process, count):
        deadline = time.monotonic() + 60
        while len(self.evaluated()) < count:
            self.assertIsNone(process.poll(), "it ended before it was disturbed")
            self.assertLess(time.monotonic(), deadline, "no evaluation in a minute")
            time.sleep(0.005)

    def let_dawdle(self, seconds):
        """From now on an evaluation takes so long, until the workers are told to hurry."""
        self.write("dawdle.new", str(seconds))
        os.replace(self.dawdling + ".new", self.dawdling)

    def let_hurry(self):
        for file in (self.dawdling, self.dawdling + ".begun"):
            if os.path.exists(file):
                os.remove(file)

    def wait_for_long_evaluations(self, process, count):
        deadline = time.monotonic() + 60
        begun = 0
        while begun < count:
            self.assertIsNone(process.poll(), "it ended before it was disturbed")
            self.assertLess(time.monotonic(), deadline, "no long evaluation in a minute")
            time.sleep(0.005)
            if os.path.exists(self.dawdling + ".begun"):
                with open(self.dawdling + ".begun") as file:
                    begun = len(file.readlines())

    def workers(self):
        """Live processes that carry this test's ledger in their environment."""
        mark = b"HUNCH_LEDGER=" + self.ledger.encode()
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        found.append(int(process))
            except OSError:
                pass
        return found

    def no_worker_is_left(self):
        deadline = time.monotonic() + 5
        while self.workers():
            if time.monotonic() > deadline:
                left = self.workers()
                for process in left:
                    os.kill(process, signal.SIGKILL)
                self.fail(f"processes left behind: {left}")
            time.sleep(0.01)


def theta_of(row):
    return struct.unpack("<2d", row[1])
