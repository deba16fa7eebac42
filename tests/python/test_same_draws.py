"""However a likelihood is reached from Python, its draws are those that `hunch run` makes."""
import csv
import json
import sys

import numpy
import pytest

import hunch
from conftest import BOWL, SMALL, bowl

WORKER = """\
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    u, v = t["u"] - 1, t["v"] + 2
    print(repr(-0.5 * (u * u + v * v)), flush=True)
"""

CONFIG = """\
[model]
command = [{python}, "worker.py"]
[parameters]
u = {{ prior = "normal(0, 2)" }}
v = {{ prior = "normal(0, 2)" }}
[sampler]
method = "{method}"
chains = 2
warmup = 40
draws = 60
seed = 9
"""


@pytest.fixture
def config_draws(tmp_path, program):
    def draws_of(method):
        (tmp_path / "worker.py").write_text(WORKER)
        (tmp_path / f"{method}.toml").write_text(CONFIG.format(python=json.dumps(sys.executable), method=method))
        ended = program("run", f"{method}.toml", "--quiet", folder=tmp_path)
        assert ended.returncode in (0, 3), ended.stderr
        with open(tmp_path / f"{method}.run" / "draws.csv") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        return numpy.array([[float(row["u"]), float(row["v"])] for row in rows]).reshape(2, 60, 2)
    return draws_of


@pytest.mark.parametrize("method", ["mh", "gp-mh", "auto"])
def test_function_makes_the_bits_that_the_program_makes(config_draws, method):
    found = hunch.sample(bowl, BOWL, method=method, seed=9, **SMALL).draws
    assert numpy.array_equal(found, config_draws(method))
    assert not numpy.array_equal(found, hunch.sample(bowl, BOWL, method=method, seed=8, **SMALL).draws)


def test_door_makes_the_bits_that_the_program_makes(config_draws, tmp_path):
    expected = config_draws("auto")
    door = hunch.program([sys.executable, tmp_path / "worker.py"])
    assert numpy.array_equal(hunch.sample(door, BOWL, seed=9, **SMALL).draws, expected)


def gradient_of(theta):
    return numpy.array([1 - theta[0], -2 - theta[1]])


WAYS = {
    "keywords": (lambda u, v: bowl((u, v)), {}),
    "keywords of any name": (lambda **theta: bowl((theta["u"], theta["v"])), {}),
    "an argument of its own": (lambda theta, offset=0: bowl(theta) + offset, {}),
    "vectorised": (lambda theta: bowl(theta.T), {"vectorized": True}),
    "vectorised, by keywords": (lambda v, u: bowl((u, v)), {"vectorized": True}),
    "workers": (bowl, {"workers": 3}),
    "both in one": (lambda theta: (bowl(theta), gradient_of(theta)), {"gradient": True, "method": "gp-mh"}),
    "two functions": (bowl, {"gradient": gradient_of, "method": "gp-mh"}),
    "text priors": (bowl, {"parameters": {"u": "normal(0, 2)", "v": "normal(0, 2)"}}),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_of_calling_make_the_same_draws(way):
    function, options = WAYS[way]
    found = hunch.sample(function, **{"parameters": BOWL, **SMALL, **options})
    plain = hunch.sample(bowl, BOWL, method=options.get("method", "auto"), **SMALL)
    assert numpy.array_equal(found.draws, plain.draws)


@pytest.mark.parametrize("method", ["gp-mala", "auto"])
def test_gradients_reach_the_methods_that_use_them(method):
    ways = [dict(gradient=gradient_of), dict(gradient=gradient_of, workers=2)]
    found = [hunch.sample(bowl, BOWL, method=method, **way, **SMALL).draws for way in ways]
    both = lambda theta: (bowl(theta.T), numpy.stack([1 - theta[:, 0], -2 - theta[:, 1]], axis=1))
    found.append(hunch.sample(both, BOWL, method=method, gradient=True, vectorized=True, **SMALL).draws)
    assert all(numpy.array_equal(draws, found[0]) for draws in found)
    wrong = hunch.sample(bowl, BOWL, method=method, gradient=lambda t: -gradient_of(t), **SMALL).draws
    assert not numpy.array_equal(wrong, found[0])
    with pytest.raises(hunch.InputError, match='sampler.method: got "mala"'):
        hunch.sample(bowl, BOWL, method="mala", **SMALL)


def test_posterior_of_a_normal_is_found():
    """Conjugate: precision 1 + 1/4 for both; 4.9 Monte Carlo errors fail a right program once in a million times."""
    summary = hunch.sample(bowl, BOWL, draws=2000, progress=False).summary()
    for name, truth in (("u", 1.0), ("v", -2.0)):
        row = summary[name]
        assert abs(row["mean"] - truth / 1.25) < 4.9 * row["mcse_mean"]
        assert abs(row["sd"] - 1.25 ** -0.5) < 4.9 * row["mcse_sd"]
        assert row["mcse_mean"] < 0.05


def test_vectorised_functions_get_whole_rounds():
    sizes = []

    def function(theta):
        sizes.append(theta.shape)
        return bowl(theta.T)

    hunch.sample(function, BOWL, method="mh", vectorized=True, **SMALL)
    assert {shape[1] for shape in sizes} == {2}
    assert max(shape[0] for shape in sizes) >= 2
