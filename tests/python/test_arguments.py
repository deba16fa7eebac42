"""Arguments that do not fit are refused before anything is paid for, in the words of the config."""
import pytest

import hunch
from conftest import BOWL, SMALL, bowl

REFUSED = [
    (dict(chains=0), "sampler.chains: got 0, expected 1 or more"),
    (dict(chains="four"), "chains: got 'four', expected a whole number"),
    (dict(chains=True), "chains: got True, expected a whole number"),
    (dict(draws=2.5), "draws: got 2.5, expected a whole number"),
    (dict(warmup=-1), "sampler.warmup: got -1, expected 0 or more"),
    (dict(seed=-1), "seed: got -1, expected 0 or more"),
    (dict(seed=2 ** 63), r"seed: got 9223372036854775808, expected a number that is less than 2\^63"),
    (dict(method="gibbs"), 'method: got "gibbs", expected one of '),
    (dict(method=3), "method: got 3, expected a text"),
    (dict(exactness="audited", method="mh"), "sampler.exactness: got \"audited\", expected exact"),
    (dict(tolerance=2), "sampler.tolerance: got 2"),
    (dict(tolerance="x"), "tolerance: got 'x', expected a number"),
    (dict(workers=0), "workers: got 0, expected 1 or more"),
    (dict(max_evaluations=0), "max_evaluations: got 0, expected 1 or more"),
    (dict(max_time="soon"), "max_time: got 'soon', expected seconds or a time such as"),
    (dict(goal={"ess": 10, "r": 2}), "goal: got 'r', expected ess and rhat alone"),
    (dict(goal=-4), "goal.ess: got -4"),
    (dict(on_failure="ignore"), 'on_failure: got "ignore", expected one of stop, reject'),
    (dict(durability="none"), "durability: got 'none', expected one of full, relaxed"),
    (dict(attempts=0), "model.attempts: got 0, expected 1 or more"),
    (dict(start={"w": 1}), "start: got 'w', expected one of u, v"),
    (dict(timeout=3), "timeout: got 3 with workers=1, expected workers=2 or more"),
    (dict(timeout=-3, workers=2), "timeout: got -3, expected seconds, more than 0"),
    (dict(vectorized=True, workers=2), "workers: got 2, expected 1 with vectorized=True"),
    (dict(gradient="yes"), "gradient: got 'yes', expected True, False or a function"),
    (dict(parameters={}), "parameters: got none, expected at least one"),
    (dict(parameters=["u"]), "parameters: got .* expected a dict from names to priors"),
    (dict(parameters={1: hunch.normal(0, 1)}), "parameters: got the name 1, expected a text"),
    (dict(parameters={"u": 3}), "parameters.u: got 3, expected a prior such as"),
    (dict(parameters={"u": "normel(0, 1)"}), "parameters.u.prior: got "),
    (dict(parameters={"u": hunch.flat()}), r"parameters.u: a flat prior says nothing about where to start"),
    (dict(log_likelihood=3), "log_likelihood: got 3, expected a function or a door"),
    (dict(log_likelihood=lambda u, w: 0), r"got a function of \(u, w\), expected one argument, an array, or the parameters"),
    (dict(log_likelihood=hunch.library("x.so"), gradient=True), "gradient: got True, expected none with a door"),
    (dict(log_likelihood=hunch.umbridge("ftp://x")), 'model.url: got "ftp://x"'),
    (dict(log_likelihood=hunch.program(["x"], style="twice")), 'model.style: got "twice", expected worker or once'),
]


@pytest.mark.parametrize("options, words", REFUSED, ids=[words[:40] for _, words in REFUSED])
def test_refused_with_what_was_given_and_what_is_allowed(options, words):
    calls = []

    def counted(theta):
        calls.append(theta)
        return bowl(theta)

    with pytest.raises(hunch.InputError, match=words) as caught:
        hunch.sample(**{"log_likelihood": counted, "parameters": BOWL, **SMALL, **options})
    assert isinstance(caught.value, ValueError) and not calls


PRIORS = {
    "normal(1, 2)": hunch.normal(mean=1, sd=2), "lognormal(1, 0.5)": hunch.lognormal(mu=1, sigma=0.5),
    "uniform(0, 3)": hunch.uniform(low=0, high=3), "halfnormal(2)": hunch.halfnormal(scale=2),
    "halfcauchy(2)": hunch.halfcauchy(scale=2), "cauchy(1, 2)": hunch.cauchy(location=1, scale=2),
    "student_t(3, 1, 2)": hunch.student_t(dof=3, location=1, scale=2), "exponential(2)": hunch.exponential(rate=2),
    "gamma(2, 3)": hunch.gamma(shape=2, rate=3), "inverse_gamma(2, 3)": hunch.inverse_gamma(shape=2, scale=3),
    "beta(2, 3, lower=0.1, upper=0.9)": hunch.beta(a=2, b=3, lower=0.1, upper=0.9), "flat(lower=0)": hunch.flat(lower=0),
}


def test_every_prior_of_the_config_is_there_under_its_name():
    for text, prior in PRIORS.items():
        assert repr(prior) == text
        assert hunch.Prior(text) == prior
        assert getattr(hunch, text.split("(")[0])


def test_priors_are_refused_in_the_words_of_the_config():
    with pytest.raises(hunch.InputError) as of_value:
        hunch.normal(0, -1)
    with pytest.raises(hunch.InputError) as of_text:
        hunch.Prior("normal(0, -1)")
    assert str(of_value.value) == str(of_text.value) and "sd" in str(of_value.value)


def test_prior_knows_its_density():
    prior = hunch.uniform(1, 3)
    assert prior.quantile(0.25) == 1.5 and prior.support == (1, 3)
    assert prior.log_density(2) == pytest.approx(-0.6931471805599453, abs=1e-15) and prior.log_density(0) == -float("inf")


def test_starts_are_used():
    near = hunch.sample(bowl, {"u": hunch.flat(), "v": hunch.normal(0, 2)}, start={"u": 4.0}, method="mh", **SMALL)
    far = hunch.sample(bowl, {"u": hunch.flat(), "v": hunch.normal(0, 2)}, start={"u": -4.0}, method="mh", **SMALL)
    assert near.evaluation_table["theta"][:2, 0].min() > 2 and far.evaluation_table["theta"][:2, 0].max() < -2
