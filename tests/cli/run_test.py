"""`hunch run` and what reads its directory: flags that outlive the command, runs in progress, nothing ever lost."""

import json
import os
import signal
import sys
import unittest

from scene import Scene


class Flags(Scene):
    def test_flags_win_over_the_config_and_survive_a_resume(self):
        self.config()
        flags = ("--seed", "9", "--num-chains", "3", "--num-warmup", "10", "--num-samples", "15", "--method", "gp-mh")
        whole = self.result("run", "run.toml", *flags, "--out", "whole")
        self.assertEqual(whole["run"]["draws"], 45)
        self.assertEqual(whole["run"]["iterations"], 75)
        stopped = self.hunch("run", "run.toml", *flags, "--out", "stopped", "--max-evals", "20", "--json")
        self.assertEqual(stopped.returncode, 5, stopped.stderr)
        resumed = self.result("resume", "stopped")
        self.assertEqual(resumed["run"]["draws_sha256"], whole["run"]["draws_sha256"])
        other = self.result("run", "run.toml", *flags[2:], "--out", "other")
        self.assertNotEqual(other["run"]["draws_sha256"], whole["run"]["draws_sha256"], "the seed was ignored")

    def test_flags_are_written_down_beside_the_config_as_given(self):
        self.config()
        self.result("run", "run.toml", "--draws", "15")
        self.assertEqual(self.read("run.run", "given.toml"), self.read("run.toml"))
        for name in ("config.toml", "resolved.toml"):
            self.assertIn("draws = 15\n", self.read("run.run", name))
        self.assertIn("--draws 15", self.read("run.run", "config.toml").split("\n")[0])

    def test_edit_of_a_config_with_flags_is_still_refused(self):
        self.config()
        self.result("run", "run.toml", "--draws", "15")
        self.write("run.run/config.toml", self.read("run.run", "config.toml").replace("seed = 5", "seed = 6"))
        self.refused("resume", "run.run", says=["sampler.seed", "5", "6"])

    def test_bad_flags_are_refused_before_a_directory_is_made(self):
        self.config()
        for flags, says in ((("--chains", "0"), ["sampler.chains", "0"]), (("--draws", "0"), ["sampler.draws", "0"]),
                            (("--seed", "-1"), ["seed", "-1"]), (("--method", "mala"), ["sampler.method", "gradient"]),
                            (("--method", "hmc"), ["hmc", "gp-mh"]), (("--max-time", "soon"), ["--max-time", "soon"]),
                            (("--warmup", "many"), ["--warmup", "many"]),
                            (("--force", "--resume"), ["--force", "--resume"])):
            with self.subTest(flags):
                self.refused("run", "run.toml", *flags, says=says)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "run.run")))

    def test_dry_run_says_what_the_flags_make_of_the_config(self):
        self.config()
        plan = json.loads(self.hunch("run", "run.toml", "--dry-run", "--json", "--chains", "3", "--seed", "8").stdout)
        self.assertEqual((plan["chains"], plan["draws"], plan["seed"]), (3, 30, 8))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "run.run")))

    def test_time_is_up_after_max_time(self):
        self.config(delay=0.05, draws=2000)
        self.assertEqual(self.hunch("run", "run.toml", "--max-time", "0m1s", "--quiet").returncode, 5)


class Audited(Scene):
    def run_problem(self, problem):
        config = self.write("audited.toml", f"""[model]
problem = "{problem}"
[sampler]
draws = 100
exactness = "audited"
""")
        return self.hunch("run", config, "--out", os.path.join(self.folder, "run"), "--quiet")

    def test_pass_has_bounds_and_says_what_it_cannot_see(self):
        done = self.run_problem("banana")
        self.assertIn("CERTIFICATE: PASS", done.stdout)
        self.assertIn("mean within", done.stdout)
        self.assertIn("cannot see", done.stdout)
        told = self.result("summary", os.path.join(self.folder, "run"))["certificate"]
        self.assertEqual(told["verdict"], "passed")
        self.assertLess(max(told["mean_bounds"] + told["sd_bounds"]), 0.05)

    def test_refusal_has_a_reason_no_number_and_no_draws(self):
        done = self.run_problem("cliff")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("NO CERTIFICATE", done.stdout)
        self.assertNotIn("mean within", done.stdout)
        told = self.result("summary", os.path.join(self.folder, "run"))
        self.assertEqual((told["certificate"]["verdict"], told["certificate"]["mean_bounds"]), ("refused", []))
        self.assertEqual(told["run"]["draws"], 0)


class ExistingRun(Scene):
    def setUp(self):
        super().setUp()
        self.config()
        self.first = self.result("run", "run.toml")["run"]

    def test_existing_run_is_refused_and_left_alone(self):
        before = sorted(os.listdir(os.path.join(self.folder, "run.run")))
        self.refused("run", "run.toml", says=["run.run", "hunch resume", "--force"])
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "run.run"))), before)

    def test_force_moves_it_aside_to_the_next_free_name_and_loses_nothing(self):
        for number in (1, 2):
            done = self.hunch("run", "run.toml", "--force", "--quiet")
            self.assertIn(f"run.run.old-{number}", done.stderr)
            aside = self.result("summary", f"run.run.old-{number}")["run"]
            self.assertEqual(aside["draws_sha256"], self.first["draws_sha256"])
        self.assertEqual(self.result("summary", "run.run.old-1")["run"]["draws_sha256"], self.first["draws_sha256"])

    def test_force_can_reuse_what_it_moves_aside(self):
        done = self.hunch("run", "run.toml", "--force", "--reuse", "run.run", "--quiet")
        self.assertIn(f"{self.first['evaluations']} evaluations taken over from run.run.old-1", done.stderr)

    def test_force_leaves_a_run_in_progress_alone(self):
        self.config(delay=0.05, draws=500)
        running = self.started("run", "run.toml", "--out", "busy", "--quiet")
        self.wait_until(lambda: self.progress("busy"))
        self.refused("run", "run.toml", "--out", "busy", "--force", says=["in use", str(running.pid)])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "busy.old-1")))
        self.assertIsNone(running.poll())

    def test_resume_flag_goes_on_or_starts(self):
        again = self.result("run", "run.toml", "--resume")["run"]
        self.assertEqual(again["draws_sha256"], self.first["draws_sha256"])
        fresh = self.result("run", "run.toml", "--resume", "--out", "fresh")["run"]
        self.assertEqual(fresh["draws_sha256"], self.first["draws_sha256"])

    def test_resume_flag_refuses_what_would_change_draws(self):
        self.refused("run", "run.toml", "--resume", "--seed", "6", says=["sampler.seed", "5", "6"])

    def test_resume_flag_takes_a_new_budget_over(self):
        text = self.read("run.toml")
        self.write("run.toml", text + "\n[budget]\nevaluations = 12\n")
        self.assertEqual(self.hunch("run", "run.toml", "--out", "small", "--quiet").returncode, 5)
        self.write("run.toml", text)
        whole = self.result("run", "run.toml", "--out", "small", "--resume")["run"]
        self.assertEqual(whole["draws_sha256"], self.first["draws_sha256"])


class InProgress(Scene):
    def setUp(self):
        super().setUp()
        self.config(delay=0.02, warmup=30, draws=2000)
        self.running = self.started("run", "run.toml", "--quiet")
        self.wait_until(lambda: (self.progress() or {}).get("iterations", 0) > 0)

    def test_status_tells_of_a_run_in_progress(self):
        status = json.loads(self.hunch("status", "run.run", "--json").stdout)
        self.assertTrue(status["in_progress"])
        self.assertFalse(status["complete"])
        self.assertEqual(status["pid"], self.running.pid)
        self.assertEqual(status["iterations_total"], 4060)
        self.assertGreater(status["iterations"], 0)
        self.assertGreater(status["evaluations"], 0)
        self.assertLess(status["updated_seconds_ago"], 30)
        said = self.hunch("status", "run.run")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(f"in progress: process {self.running.pid}", said.stdout)
        self.assertIsNone(self.running.poll(), "asking disturbed it")

    def test_progress_moves_on(self):
        before = self.progress()["iterations"]
        self.wait_until(lambda: self.progress()["iterations"] > before)

    def test_summary_and_diagnose_say_in_one_line_that_it_is_in_progress(self):
        for command in ("summary", "diagnose"):
            self.refused(command, "run.run", says=["in progress", "of 4060 iterations", "hunch status run.run"])

    def test_killed_run_is_not_taken_for_one_in_progress(self):
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()
        status = json.loads(self.hunch("status", "run.run", "--json").stdout)
        self.assertFalse(status["in_progress"])
        self.assertEqual(status["last_session"]["ending"], "killed")
        self.assertIn(f"process {self.running.pid} was killed", self.hunch("status", "run.run").stdout)

    def test_stopped_run_says_how_it_ended_and_adds_up_its_time(self):
        os.kill(self.running.pid, signal.SIGTERM)
        self.running.wait()
        first = self.progress()
        self.assertEqual(first["ending"], "interrupted")
        self.assertEqual(self.hunch("resume", "run.run", "--quiet", "--max-time", "1").returncode, 5)
        second = self.progress()
        self.assertEqual(second["ending"], "time spent")
        self.assertGreater(second["seconds"], first["seconds"] + 0.9)


class Times(Scene):
    def test_run_and_summary_mean_the_same_by_seconds(self):
        self.config(delay=0.01)
        run = self.result("run", "run.toml", "--workers", "1")["run"]
        told = self.result("summary", "run.run")["run"]
        self.assertEqual(run, told)
        self.assertGreaterEqual(run["model_seconds"], 0.01 * run["evaluations"])
        self.assertGreaterEqual(run["seconds"], run["model_seconds"])

    def test_seconds_are_null_when_nobody_measured_them(self):
        self.config()
        self.result("run", "run.toml")
        os.remove(os.path.join(self.folder, "run.run", "progress.json"))
        self.assertIsNone(self.result("summary", "run.run")["run"]["seconds"])

    def test_damaged_progress_is_no_progress(self):
        self.config()
        self.result("run", "run.toml")
        for text in ("", "[]", '{"phase": 3}', "\x1b[2J"):
            self.write("run.run/progress.json", text)
            self.assertIsNone(json.loads(self.hunch("status", "run.run", "--json").stdout)["last_session"])


class Leftovers(Scene):
    def test_parts_of_a_dead_writer_go_and_those_of_a_live_one_stay(self):
        self.config()
        self.result("run", "run.toml")
        dead = self.started("problems")
        dead.communicate()
        for process in (dead.pid, os.getpid()):
            self.write(f"run.run/draws.csv.part-{process}", "half")
        self.write("run.run/notes.part-two", "mine")
        self.result("resume", "run.run")
        left = [name for name in os.listdir(os.path.join(self.folder, "run.run")) if ".part-" in name]
        self.assertEqual(sorted(left), sorted([f"draws.csv.part-{os.getpid()}", "notes.part-two"]))


class Check(Scene):
    def test_check_json_has_the_answer_the_time_and_the_bill(self):
        self.config(delay=0.05)
        found = self.result("check", "run.toml")
        self.assertTrue(found["good"])
        self.assertEqual(found["model"]["door"], "command")
        x, y = (found["model"]["theta"][name] for name in ("x", "y"))
        self.assertAlmostEqual(found["model"]["log_likelihood"], -0.5 * (x * x + y * y), places=12)
        self.assertGreaterEqual(found["seconds_per_evaluation"]["second"], 0.05)
        self.assertIsNone(found["gradient_check"])
        self.assertEqual(found["bill"]["evaluations"], 100)
        self.assertAlmostEqual(found["bill"]["seconds"], 100 * found["seconds_per_evaluation"]["second"], places=9)

    def test_check_json_compares_gradients(self):
        self.write("sir.toml", '[model]\nproblem = "sir"\n')
        slopes = self.result("check", "sir.toml")["gradient_check"]
        self.assertEqual(len(slopes), 4)
        for slope in slopes:
            self.assertTrue(slope["agrees"])
            self.assertLess(abs(slope["model"] - slope["differences"]), 1e-3 * max(1, abs(slope["model"])))

    def test_wrong_gradient_fails_the_check(self):
        self.write("simulator.py", "import json, sys\n"
                   "for line in sys.stdin:\n"
                   "    t = json.loads(line)\n"
                   "    print(json.dumps({'log_likelihood': -t['x'] ** 2, 'gradient': [7.0, 0.0]}), flush=True)\n")
        text = self.read(os.path.basename(self.config())).replace("[parameters]", "gradient = true\n\n[parameters]")
        self.write("run.toml", text)
        done = self.hunch("check", "run.toml", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(done.stdout)
        self.assertFalse(found["good"])
        self.assertEqual([slope["agrees"] for slope in found["gradient_check"]], [False, True])


if __name__ == "__main__":
    sys.exit(unittest.main())
