"""Resume goes on only with what the run was begun with: a change that would change the draws is refused by name."""

import os
import shutil
import signal
import unittest

from scene import Scene, config_text

# (what is replaced, by what, the key that the refusal must name)
ALTERATIONS = [
    ('"value", "5"', '"value", "6"', "model.command"),
    ("gradient = false", "gradient = true", "model.gradient"),
    ('data_files = ["data.txt"]', "data_files = []", "model.data_files"),
    ('style = "worker"', 'style = "once"', "model.style"),
    ('x = { prior = "normal(0, 3)"', 'x = { prior = "normal(0, 3.5)"', "parameters.x.prior"),
    ('y = { prior = "normal(0, 3)"', 'y = { prior = "cauchy(0, 3)"', "parameters.y.prior"),
    ('y = { prior = "normal(0, 3)"', 'y = { prior = "normal(0, 3, lower=-9)"', "parameters.y.prior"),
    ('x = { prior = "normal(0, 3)", start = 0.5 }', 'x = { prior = "normal(0, 3)", start = 0.25 }',
     "parameters.x.start"),
    ('y = { prior = "normal(0, 3)", start = 0.5 }', 'y = { prior = "normal(0, 3)" }', "parameters.y.start"),
    ("y = { prior", "z = { prior", "parameters"),
    ("[sampler]", 'z = { prior = "normal(0, 1)" }\n[sampler]', "parameters"),
    ('method = "gp-mh"', 'method = "mh"', "sampler.method"),
    ('screen = "early"', 'screen = "ratio"', "sampler.screen"),
    ('learning = "continue"', 'learning = "freeze"', "sampler.learning"),
    ('covariance = "se"', 'covariance = "matern52"', "sampler.covariance"),
    ("chains = 4", "chains = 3", "sampler.chains"),
    ("warmup = 60", "warmup = 61", "sampler.warmup"),
    ("draws = 80", "draws = 81", "sampler.draws"),
    ("seed = 5", "seed = 6", "sampler.seed"),
]

PARAMETERS = ('x = { prior = "normal(0, 3)", start = 0.5 }\n', 'y = { prior = "normal(0, 3)", start = 0.5 }\n')


def sections_turned_round(text):
    """Sections and the keys in them in the opposite order; the parameters' own order has a meaning and stays."""
    turned = []
    for section in text.split("\n\n"):
        title, *lines = section.strip().split("\n")
        turned.insert(0, "\n".join([title, *(lines if title == "[parameters]" else reversed(lines))]))
    return "\n\n".join(turned) + "\n"


HARMLESS = {
    "a comment": lambda text: "# mine\n" + text.replace("seed = 5", "seed = 5  # lucky"),
    "the order of sections and keys": sections_turned_round,
    "the budget": lambda text: text.replace("evaluations = 100000", 'evaluations = 90000\ntime = "1h"'),
    "no budget": lambda text: text.replace("[budget]\nevaluations = 100000\n", ""),
    "the timeout": lambda text: text.replace('timeout = "1m"', "timeout = 45"),
    "the attempts": lambda text: text.replace("attempts = 3", "attempts = 2"),
    "the spelling of a number": lambda text: text.replace("start = 0.5", "start = 5e-1"),
    "the spelling of a prior": lambda text: text.replace("normal(0, 3)", "normal( 0.0,3 )"),
    "a default left out": lambda text: text.replace('screen = "early"\n', ""),
}


class Altered(Scene):
    def setUp(self):
        super().setUp()
        self.text = config_text(delay=5)
        self.config = self.write("config.toml", self.text)
        self.begun = os.path.join(self.folder, "begun")
        process = self.start("run", self.config, "--out", self.begun, "--workers", "2", "--quiet")
        self.wait_for_evaluations(process, 12)
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)
        self.evaluations = len(self.evaluated())

    def copy_with(self, text):
        run = os.path.join(self.folder, "copy")
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(self.begun, run)
        with open(os.path.join(run, "config.toml"), "w") as file:
            file.write(text)
        return run

    def nothing_was_paid(self):
        self.assertEqual(len(self.evaluated()), self.evaluations, "it evaluated before it refused")

    def test_each_change_that_matters_is_refused_by_name(self):
        self.assertGreaterEqual(len(ALTERATIONS), 15)
        for old, new, key in ALTERATIONS:
            with self.subTest(f"{old} -> {new}"):
                self.assertEqual(self.text.count(old), 1)
                done = self.hunch("resume", self.copy_with(self.text.replace(old, new)), "--quiet", "--json")
                self.refused(done, 2, "config.toml", f" {key}: ")
        self.nothing_was_paid()

    def test_the_order_of_parameters_matters(self):
        self.assertIn("".join(PARAMETERS), self.text)
        swapped = self.text.replace("".join(PARAMETERS), "".join(reversed(PARAMETERS)))
        self.refused(self.hunch("resume", self.copy_with(swapped), "--quiet"), 2, " parameters: ")
        self.nothing_was_paid()

    def test_a_changed_data_file_is_refused_by_name_until_it_is_changed_back(self):
        self.write("data.txt", "1 2 4\n")
        run = self.copy_with(self.text)
        self.refused(self.hunch("resume", run, "--quiet"), 2, "data.txt")
        os.remove(os.path.join(self.folder, "data.txt"))
        self.refused(self.hunch("resume", run, "--quiet"), 2, "data.txt")
        self.nothing_was_paid()
        self.write("data.txt", "1 2 3\n")
        self.finished(self.hunch("resume", run, "--quiet", "--json"))

    def test_the_store_of_another_run_is_refused(self):
        other = self.write("other.toml", self.text.replace('"value", "5"', '"value", "1"'))
        elsewhere = os.path.join(self.folder, "elsewhere")
        self.finished(self.hunch("run", other, "--out", elsewhere, "--quiet", "--json"))
        before = len(self.evaluated())
        run = self.copy_with(self.text)
        shutil.copyfile(os.path.join(elsewhere, "evaluations.sqlite"), os.path.join(run, "evaluations.sqlite"))
        self.refused(self.hunch("resume", run, "--quiet"), 2, "belongs to another run", "model.command")
        self.assertEqual(len(self.evaluated()), before)

    def test_a_changed_row_is_refused(self):
        run = self.copy_with(self.text)
        with open(os.path.join(run, "evaluations.sqlite"), "r+b") as file:
            content = file.read()
            row = self.stored(run)[5]
            self.assertEqual(content.count(row[1]), 1)
            file.seek(content.index(row[1]))
            file.write(row[1][:-3] + bytes([row[1][-3] ^ 1]) + row[1][-2:])
        self.refused(self.hunch("resume", run, "--quiet"), 2, "row 6 is damaged")
        self.nothing_was_paid()

    def test_harmless_edits_are_accepted_and_change_no_draw(self):
        expected = self.uninterrupted(self.config)
        whole = os.path.join(self.folder, "reference")
        before = len(self.evaluated())
        for name, edit in HARMLESS.items():
            with self.subTest(name):
                text = edit(self.text)
                self.assertNotEqual(text, self.text)
                run = self.copy_with(text)
                # With the finished store the replay is free, and still sees every setting.
                shutil.copyfile(os.path.join(whole, "evaluations.sqlite"), os.path.join(run, "evaluations.sqlite"))
                done = self.hunch("resume", run, "--quiet", "--json", "--workers", "3")
                self.assertEqual(self.finished(done), expected)
        self.assertEqual(len(self.evaluated()), before, "a replay was paid for")


if __name__ == "__main__":
    unittest.main(verbosity=2)
