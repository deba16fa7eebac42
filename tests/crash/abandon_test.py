"""Evaluations that take a minute: stopping waits for them or abandons them, and no kill leaves one running."""

import os
import signal
import time
import unittest

from scene import Scene, config_text, theta_of

GRACE = 10  # seconds from SIGTERM to the end of patience
SIMULATOR_IN_A_SHELL = ["sh", "-c", "while read line; do echo begun >> $HUNCH_DAWDLE.begun; sleep 60; echo -1; done"]


class LongEvaluation(Scene):
    def begun(self, config, after=0):
        """A run whose one or two evaluations under way take a minute each."""
        self.run_folder = os.path.join(self.folder, "run")
        if after == 0:
            self.let_dawdle(60)
        process = self.start("run", config, "--out", self.run_folder, "--workers", "2", "--quiet")
        if after > 0:
            self.wait_for_evaluations(process, after)
            self.let_dawdle(60)
        self.wait_for_long_evaluations(process, 1)
        return process

    def ended(self, process, number, within):
        _, said = process.communicate(timeout=within)
        self.assertEqual(process.returncode, 128 + number, said)
        self.assertIn(f"hunch resume {self.run_folder}", said.splitlines()[-1])
        return said

    def line(self, process):
        """The next line that it says."""
        return process.stderr.readline()


class Killed(LongEvaluation):
    """SIGKILL, which no process can prepare for."""

    def nothing_is_left_of(self, config, kill, after=0):
        process = self.begun(config, after)
        kill(process.pid, signal.SIGKILL)
        process.communicate()
        began = time.monotonic()
        while self.workers():
            self.assertLess(time.monotonic() - began, 2, "still running: " + ", ".join(map(self.described, self.workers())))
            time.sleep(0.01)

    def described(self, process):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                return f"{process} {file.read()}"
        except OSError:
            return str(process)

    def test_a_worker_does_not_outlive_the_run(self):
        self.nothing_is_left_of(self.write("config.toml", config_text()), os.kill)

    def test_nor_when_the_whole_group_is_killed(self):
        self.nothing_is_left_of(self.write("config.toml", config_text()), os.killpg)

    def test_nor_does_a_program_that_is_run_once(self):
        self.nothing_is_left_of(self.write("config.toml", config_text(style="once")), os.kill)

    def test_nor_what_a_shell_has_started(self):
        for style in ("worker", "once"):
            with self.subTest(style):
                self.nothing_is_left_of(self.write("config.toml", config_text(style=style, command=SIMULATOR_IN_A_SHELL)),
                                        os.killpg)
                os.rename(self.run_folder, self.run_folder + style)
                self.let_hurry()

    def test_in_the_middle_of_an_evaluation_costs_that_evaluation_only(self):
        config = self.write("config.toml", config_text())
        expected = self.uninterrupted(config)
        paid = len(self.evaluated())
        self.forget_ledger()
        self.nothing_is_left_of(config, os.killpg, after=30)
        rows, seen = self.stored(self.run_folder), self.evaluated()
        self.let_hurry()
        self.assertEqual(self.finished(self.hunch("resume", self.run_folder, "--json", "--quiet")), expected)
        self.assertEqual(self.stored(self.run_folder)[:len(rows)], rows)
        self.assertFalse({theta_of(row) for row in rows} & set(self.evaluated()[len(seen):]))
        self.assertEqual(len(self.stored(self.run_folder)), paid)


class Stopped(LongEvaluation):
    def setUp(self):
        super().setUp()
        self.config = self.write("config.toml", config_text())
        self.expected = self.uninterrupted(self.config)
        self.paid = len(self.evaluated())
        self.forget_ledger()

    def goes_on(self):
        """Abandoned evaluations are no failures: there is no row of them, and a resume pays for each once."""
        self.no_worker_is_left()
        rows = self.stored(self.run_folder)
        self.assertEqual({theta_of(row) for row in rows}, set(self.evaluated()))
        self.assertEqual({row[4] for row in rows}, {"value"})
        self.let_hurry()
        self.assertEqual(self.finished(self.hunch("resume", self.run_folder, "--json", "--quiet")), self.expected)
        self.assertEqual(len(self.evaluated()), self.paid)

    def test_a_second_interrupt_abandons_what_is_under_way(self):
        process = self.begun(self.config, after=30)
        os.killpg(process.pid, signal.SIGINT)
        self.assertRegex(self.line(process),
                         "^stopping after the (1 evaluation|2 evaluations) under way; once more to abandon (it|them)$")
        time.sleep(1)
        self.assertIsNone(process.poll(), "it did not wait")
        os.killpg(process.pid, signal.SIGINT)
        self.assertRegex(self.ended(process, signal.SIGINT, within=20), "evaluations? (was|were) abandoned")
        self.goes_on()

    def test_one_interrupt_waits_and_records(self):
        self.run_folder = os.path.join(self.folder, "run")
        process = self.start("run", self.config, "--out", self.run_folder, "--workers", "2", "--quiet")
        self.wait_for_evaluations(process, 30)
        self.let_dawdle(3)
        self.wait_for_long_evaluations(process, 1)
        os.killpg(process.pid, signal.SIGINT)
        self.assertRegex(self.line(process), "^stopping after the . evaluations? under way")
        self.ended(process, signal.SIGINT, within=60)
        with open(self.dawdling + ".begun") as file:
            self.assertLessEqual(len(file.readlines()), 2, "it began evaluations after it was told to stop")
        self.goes_on()

    def test_sigterm_waits_no_longer_than_its_grace(self):
        process = self.begun(self.config, after=30)
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGTERM)
        self.assertIn(f"or in {GRACE} s", self.line(process))
        self.ended(process, signal.SIGTERM, within=50)
        self.assertGreater(time.monotonic() - began, GRACE - 1)
        self.goes_on()


if __name__ == "__main__":
    unittest.main(verbosity=2)
