"""What the tests of the program share: a simulator that answers after a while, a config for it, and runs of it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(os.environ["HUNCH_PROGRAM"])

SIMULATOR = """\
import json, sys, time
for line in sys.stdin:
    theta = json.loads(line)
    time.sleep(float(sys.argv[1]))
    print(-0.5 * sum(value * value for value in theta.values()), flush=True)
"""

CONFIG = """\
[model]
command = [{python}, "simulator.py", "{delay}"]

[parameters]
x = {{ prior = "normal(0, 3)", start = 0.5 }}
y = {{ prior = "normal(0, 3)", start = 0.5 }}

[sampler]
method = "{method}"
chains = {chains}
warmup = {warmup}
draws = {draws}
seed = 5
"""


class Scene(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="hunch-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("simulator.py", SIMULATOR)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, *names):
        with open(os.path.join(self.folder, *names), encoding="utf-8") as file:
            return file.read()

    def config(self, delay=0, chains=2, warmup=20, draws=30, method="mh"):
        return self.write("run.toml", CONFIG.format(python=json.dumps(sys.executable), delay=delay, chains=chains,
                                                    warmup=warmup, draws=draws, method=method))

    def hunch(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=300)

    def result(self, *arguments):
        done = self.hunch(*arguments, "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads(done.stdout)

    def refused(self, *arguments, says):
        done = self.hunch(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)

    def started(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)

        def end():
            if process.poll() is None:
                process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def wait_until(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), deadline, "it never happened")
            time.sleep(0.02)

    def progress(self, run="run.run"):
        path = os.path.join(self.folder, run, "progress.json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)
