"""A run that is killed, stopped, starved or tampered with: what was paid for stays, and the draws do not change.

HUNCH_PROGRAM is the program; HUNCH_KILLS says how many times it is killed; HUNCH_SEED chooses the instants.
"""

import os
import random
import signal
import subprocess
import time
import unittest

from scene import CHAINS, Scene, config_text, theta_of

KILLS = int(os.environ.get("HUNCH_KILLS", "20"))
SEED = int(os.environ.get("HUNCH_SEED", "20240611"))
MOST_KILLS_OF_A_RUN = 10
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")  # overwritten when a transaction is over


class Kill(Scene):
    """SIGKILL of the whole process group at random instants, then resume, again and again."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.repeated, self.unborn, self.hot = 0, 0, 0

    def command(self, config, run):
        workers = ["--workers", str(self.random.choice((1, 2, 4))), "--json", "--quiet"]
        # A run exists from the moment its resolved config does.
        if os.path.exists(os.path.join(run, "resolved.toml")):
            return ["resume", run, *workers]
        return ["run", config, "--out", run, *workers]

    def instant(self):
        # A third of the kills hit the start: the directory, the store's birth, the replay.
        return self.random.uniform(0, 0.1) if self.random.random() < 1 / 3 else self.random.uniform(0.05, 0.8)

    def killed(self, command):
        """Whether it was still there to be killed; with the finished run otherwise."""
        process = self.start(*command)
        try:
            out, err = process.communicate(timeout=self.instant())
            return subprocess.CompletedProcess(command, process.returncode, out, err)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        # Workers lead sessions of their own: half the time they die at the same moment, half the time they are
        # left to notice.
        if self.random.random() < 0.5:
            for worker in self.workers():
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        process.communicate()
        self.no_worker_is_left()
        return None

    def note_what_was_hit(self, run):
        """Kills before there was a store, and kills inside a transaction, which leave a journal to roll back."""
        store = os.path.join(run, "evaluations.sqlite")
        self.unborn += not os.path.exists(store)
        if os.path.exists(store + "-journal"):
            with open(store + "-journal", "rb") as file:
                self.hot += file.read(len(JOURNAL_MAGIC)) == JOURNAL_MAGIC

    def check_account(self, run, rows_before, seen_before):
        rows = self.stored(run)
        self.assertEqual(rows[:len(rows_before)], rows_before, "a row that was there is gone or changed")
        ledger = self.evaluated()
        held_before = {theta_of(row) for row in rows_before}
        repeated = [theta for theta in ledger[seen_before:] if theta in held_before]
        self.assertEqual(repeated, [], "what the store held was evaluated again")
        held = [theta_of(row) for row in rows if row[4] == "value"]
        self.assertEqual(len(set(held)), len(held), "the store holds a point twice")
        self.assertEqual(len(held), len(rows), "the store holds a failure that was none of the model's")
        self.assertLessEqual(set(held), set(ledger), "the store holds what no worker answered")
        # A round begins when the one before it is durable, and has at most one point for each chain: so whatever is
        # not stored was still in flight, and everything before it had been acknowledged.
        unstored = set(ledger) - set(held)
        self.assertLessEqual(len(unstored), CHAINS, "an acknowledged evaluation is not in the store")
        self.assertLessEqual(unstored, set(ledger[seen_before:]) | self.in_flight, "an old evaluation was lost")
        self.in_flight = unstored
        return rows, len(ledger)

    def run_under_fire(self, config, run, kills_left):
        """Kills one run until it has had enough or is done; its hash and the kills it took."""
        self.forget_ledger()
        rows, seen, kills, done = [], 0, 0, None
        self.in_flight = set()
        while done is None and kills < min(kills_left, MOST_KILLS_OF_A_RUN):
            done = self.killed(self.command(config, run))
            if done is None:
                kills += 1
                self.note_what_was_hit(run)
            rows, seen = self.check_account(run, rows, seen)
        if done is None:
            done = self.hunch(*self.command(config, run))
            rows, seen = self.check_account(run, rows, seen)
        ledger = self.evaluated()
        self.repeated += len(ledger) - len(set(ledger))
        self.assertLessEqual(len(ledger) - len(set(ledger)), CHAINS * kills)
        self.assertEqual({theta_of(row) for row in rows}, set(ledger))
        return self.finished(done), kills

    def test_every_run_ends_in_the_same_draws_and_pays_once(self):
        configs = [self.write(f"{method}.toml", config_text(method)) for method in ("auto", "gp-mh", "gp-mala")]
        expected = [self.uninterrupted(config, f"reference-{i}") for i, config in enumerate(configs)]
        paid = [len(self.stored(os.path.join(self.folder, f"reference-{i}"))) for i in range(len(configs))]
        kills, runs = 0, 0
        while kills < KILLS:
            which = runs % len(configs)
            run = os.path.join(self.folder, f"run-{runs}")
            draws, more = self.run_under_fire(configs[which], run, KILLS - kills)
            self.assertEqual(draws, expected[which], f"run {runs}, after {more} kills")
            self.assertEqual(len(self.stored(run)), paid[which])
            kills, runs = kills + more, runs + 1
        print(f"{kills} kills in {runs} runs, {self.unborn} before there was a store, {self.hot} inside a transaction: "
              f"{self.repeated} evaluations in flight repeated, none lost, every hash as expected", flush=True)


class Workers(Scene):
    def test_the_draws_do_not_depend_on_their_number_nor_on_delays(self):
        for method in ("gp-mh", "auto"):
            with self.subTest(method):
                self.same_for_all_numbers(method)

    def same_for_all_numbers(self, method):
        config = self.write("config.toml", config_text(method))
        hashes = set()
        for workers in (1, 2, 4, 8):
            run = os.path.join(self.folder, f"run-{method}-{workers}")
            hashes.add(self.finished(self.hunch("run", config, "--out", run, "--workers", str(workers), "--json",
                                                "--quiet")))
        self.assertEqual(len(hashes), 1)
        other = self.write("other.toml", config_text(method).replace("seed = 5", "seed = 6"))
        self.assertNotIn(self.uninterrupted(other, f"other-{method}"), hashes, "the hash would not notice other draws")


class Signals(Scene):
    def stopped_by(self, number):
        config = self.write("config.toml", config_text())
        expected = self.uninterrupted(config)
        paid = len(self.evaluated())
        self.forget_ledger()
        run = os.path.join(self.folder, "run")
        process = self.start("run", config, "--out", run, "--workers", "2", "--quiet")
        self.wait_for_evaluations(process, 20)
        os.killpg(process.pid, number)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + number, said)
        # It is told what is waited for only if that takes long enough to be noticed.
        self.assertEqual(len([line for line in said.splitlines() if not line.startswith("stopping after")]), 1, said)
        self.assertIn(f"hunch resume {run}", said)
        self.no_worker_is_left()
        self.assertEqual(len(self.stored(run)), len(self.evaluated()), "a clean stop loses nothing at all")
        self.assertEqual(self.finished(self.hunch("resume", run, "--json", "--quiet")), expected)
        self.assertEqual(len(self.evaluated()), paid, "a clean stop costs nothing")

    def test_sigterm(self):
        self.stopped_by(signal.SIGTERM)

    def test_sigint(self):
        self.stopped_by(signal.SIGINT)

    def test_sigusr1(self):
        self.stopped_by(signal.SIGUSR1)


class SecondProcess(Scene):
    def test_is_refused_at_once_and_disturbs_nothing(self):
        config = self.write("config.toml", config_text(delay=15))
        expected = self.uninterrupted(config)
        paid = len(self.evaluated())
        self.forget_ledger()
        run = os.path.join(self.folder, "run")
        first = self.start("run", config, "--out", run, "--workers", "2", "--json", "--quiet")
        self.wait_for_evaluations(first, 10)
        began = time.monotonic()
        second = self.hunch("resume", run, "--json", "--quiet")
        taken = time.monotonic() - began
        again = self.hunch("run", config, "--out", run, "--json", "--quiet")
        self.assertIsNone(first.poll(), "too late to tell: the first had ended")
        self.refused(second, 2, "in use", f"process {first.pid}")
        self.refused(again, 2, "holds a run already", f"hunch resume {run}")
        self.assertLess(taken, 5)
        out, err = first.communicate(timeout=120)
        done = subprocess.CompletedProcess([], first.returncode, out, err)
        self.assertEqual(self.finished(done), expected)
        self.assertEqual(len(self.evaluated()), paid)


if __name__ == "__main__":
    unittest.main(verbosity=2)
