"""A run that is kept: nothing is paid for twice, the program reads it, and it is nobody else's."""
import json
import sys

import numpy
import pytest

import hunch
from conftest import BOWL, SMALL, bowl

KEPT = dict(SMALL, durability="relaxed")


def test_same_call_again_is_free(tmp_path):
    first = hunch.sample(bowl, BOWL, store=tmp_path / "run", **KEPT)
    again = hunch.sample(bowl, BOWL, store=tmp_path / "run", **KEPT)
    assert first.calls == first.evaluations and again.calls == 0
    assert numpy.array_equal(first.draws, again.draws)
    assert numpy.array_equal(first.draws, hunch.sample(bowl, BOWL, **SMALL).draws)


@pytest.mark.parametrize("kept", [True, False])
def test_resume_extends_for_the_price_of_the_new_draws(tmp_path, kept):
    store = tmp_path / "run" if kept else None
    few = hunch.sample(bowl, BOWL, store=store, **KEPT)
    more = few.resume(draws=120)
    whole = hunch.sample(bowl, BOWL, **{**SMALL, "draws": 120})
    assert numpy.array_equal(more.draws, whole.draws)
    assert more.calls == whole.calls - few.calls
    assert more.evaluations == whole.evaluations
    assert more.resume(draws=140).draws.shape == (2, 140, 2)


def test_budget_ends_a_run_that_can_be_gone_on_with(tmp_path):
    part = hunch.sample(bowl, BOWL, max_evaluations=60, store=tmp_path / "run", **KEPT)
    assert part.ending == "evaluations_spent" and part.draws.shape[1] < 60
    assert any("the budget is spent" in words for words in part.warnings)
    rest = part.resume(max_evaluations=None)
    assert rest.ending == "complete" and rest.calls == rest.evaluations - part.calls


def test_the_program_reads_the_directory(tmp_path, program):
    result = hunch.sample(bowl, BOWL, store=tmp_path / "run", **KEPT)
    told = json.loads(program("summary", "run", "--json", folder=tmp_path).stdout)
    assert told["run"]["draws_sha256"] == result._sampled.draws_sha256()
    assert told["parameters"]["u"]["mean"] == result.summary()["u"]["mean"]
    assert program("status", "run", folder=tmp_path).returncode == 0
    assert program("diagnose", "run", folder=tmp_path).returncode in (0, 3)
    assert program("export", "run", "--to", "netcdf", folder=tmp_path).returncode == 0
    refused = program("resume", "run", folder=tmp_path)
    assert refused.returncode == 2 and '"bowl" is known only to the program that began this run' in refused.stderr


def test_doors_in_memory_are_asked_once(tmp_path):
    (tmp_path / "worker.sh").write_text(f"while read -r line; do echo x >> {tmp_path}/asked; echo -1.5; done\n")
    few = hunch.sample(hunch.program(["/bin/sh", tmp_path / "worker.sh"]), BOWL, **SMALL)
    more = few.resume(draws=80)
    kept = more.resume(store=tmp_path / "run", durability="relaxed")
    assert kept.calls == 0 and numpy.array_equal(kept.draws, more.draws)
    assert len((tmp_path / "asked").read_text().split()) == more.evaluations == len(kept.evaluation_table["outcome"])


def test_the_program_resumes_a_door(tmp_path, program):
    (tmp_path / "worker.sh").write_text("while read -r line; do echo -1.5; done\n")
    door = hunch.program(["/bin/sh", tmp_path / "worker.sh"])
    part = hunch.sample(door, BOWL, store=tmp_path / "run", max_evaluations=30, **KEPT)
    assert part.ending == "evaluations_spent"
    assert program("resume", "run", "--quiet", folder=tmp_path).returncode in (0, 3)
    assert hunch.sample(door, BOWL, store=tmp_path / "run", **KEPT).calls == 0


def test_other_settings_are_refused_by_name(tmp_path):
    hunch.sample(bowl, BOWL, store=tmp_path / "run", **KEPT)
    with pytest.raises(hunch.InputError, match="sampler.seed: the run has 1, the config now says 2"):
        hunch.sample(bowl, BOWL, store=tmp_path / "run", seed=2, **KEPT)
    with pytest.raises(hunch.InputError, match="holds a run already"):
        hunch.sample(bowl, BOWL, store=tmp_path / "run", resume=False, **KEPT)


def make(level, data):
    def log_likelihood(theta):
        return bowl(theta) + level + data[0]
    return log_likelihood


def test_changed_function_or_data_are_noticed(tmp_path):
    data = numpy.array([1.0, 2.0])
    hunch.sample(make(1, data), BOWL, store=tmp_path / "run", **KEPT)
    assert hunch.sample(make(1, data.copy()), BOWL, store=tmp_path / "run", **KEPT).calls == 0
    for changed in (make(2, data), make(1, numpy.array([1.0, 3.0])), lambda theta: bowl(theta)):
        changed.__name__ = "log_likelihood"
        with pytest.raises(hunch.InputError, match="model.version.*the function, or data that it uses, is not what it was"):
            hunch.sample(changed, BOWL, store=tmp_path / "run", **KEPT)
    version = hunch._functions.fingerprint([make(1, data), None])
    assert hunch.sample(make(2, data), BOWL, store=tmp_path / "run", version=version, **KEPT).calls == 0


def test_changed_global_data_are_noticed(tmp_path):
    text = "from conftest import bowl\ndef helper(): return {}\ndef f(theta): return bowl(theta) + helper()\n"
    prints = []
    for value in ("1", "1  # a comment", "2"):
        space = {}
        exec(text.format(value), space)
        prints.append(hunch._functions.fingerprint([space["f"]]))
    assert prints[0] == prints[1] != prints[2]


def test_store_in_use_is_its_own_exception(tmp_path, script):
    process = script(f"""
import sys
sys.path.insert(0, {repr(str(__file__.rsplit('/', 1)[0]))})
import hunch
from conftest import BOWL, SMALL, bowl
calls = 0
def slow(theta):
    global calls
    calls += 1
    if calls == 20:
        print("here", flush=True)
        sys.stdin.readline()
    return bowl(theta)
hunch.sample(slow, BOWL, store="run", version="1", **SMALL)
""", stdin=-1)
    assert process.stdout.readline() == "here\n"
    with pytest.raises(hunch.StoreInUse, match=f"process {process.pid} on ") as caught:
        hunch.sample(bowl, BOWL, store=tmp_path / "run", name="slow", version="1", **KEPT)
    assert isinstance(caught.value, hunch.StoreRefused)
