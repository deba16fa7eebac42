"""What goes wrong in a user's function is told, recorded, and nothing else."""
import numpy
import pytest

import hunch
from conftest import BOWL, SMALL, bowl


def tangled(theta):
    if theta[0] > 1.5:
        raise ArithmeticError("mesh is tangled")
    return bowl(theta)


@pytest.mark.parametrize("workers", [1, 2])
def test_exception_stops_the_run_with_its_traceback(workers):
    with pytest.raises(hunch.ModelFailed) as caught:
        hunch.sample(tangled, BOWL, workers=workers, **SMALL)
    words = str(caught.value)
    assert words.startswith("the model failed at u = ")
    assert "in tangled" in words and "ArithmeticError: mesh is tangled" in words
    if workers == 1:
        assert isinstance(caught.value.__cause__, ArithmeticError)


@pytest.mark.parametrize("options", [{}, {"workers": 2}])
def test_rejected_points_are_recorded_with_their_outcome(options):
    result = hunch.sample(tangled, BOWL, on_failure="reject", **SMALL, **options)
    table = result.evaluation_table
    assert result["u"].max() <= 1.5
    assert set(table["outcome"]) == {"value", "crash"}
    assert numpy.array_equal(table["outcome"] == "crash", table["theta"][:, 0] > 1.5)
    assert numpy.isnan(table["log_likelihood"][table["outcome"] == "crash"]).all()


def test_one_bad_point_does_not_spoil_its_round():
    def vectorised(theta):
        if (theta[:, 0] > 1.5).any():
            raise ArithmeticError("mesh is tangled")
        return bowl(theta.T)

    expected = hunch.sample(tangled, BOWL, on_failure="reject", **SMALL)
    found = hunch.sample(vectorised, BOWL, on_failure="reject", vectorized=True, **SMALL)
    assert numpy.array_equal(found.draws, expected.draws)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("answer, words", [
    (None, "the function returned None, expected a number: the log-likelihood"),
    ("-1", "the function returned a value of type str, expected a number"),
    (numpy.zeros(3), r"the function returned an array of shape \(3,\), expected a number"),
    ((1.0, 2.0), "the function returned a tuple of 2, expected a number"),
])
def test_answers_that_are_no_number_are_named(answer, words, workers):
    with pytest.raises(hunch.ModelFailed, match=words):
        hunch.sample(lambda theta: answer, BOWL, workers=workers, **SMALL)


def test_gradients_of_the_wrong_length_are_named():
    with pytest.raises(hunch.ModelFailed, match=r"an array of shape \(3,\), expected .* a number and 2 derivatives"):
        hunch.sample(bowl, BOWL, method="mala", gradient=lambda theta: numpy.zeros(3), **SMALL)
    with pytest.raises(hunch.ModelFailed, match=r"expected 2 log-likelihoods, one for each row of theta"):
        hunch.sample(lambda theta: 0.0, BOWL, method="mh", vectorized=True, **SMALL)


def test_numbers_of_any_kind_and_minus_infinity_are_answers():
    def some(theta):
        if theta[0] > 1.5:
            return -numpy.inf
        return numpy.array([bowl(theta)]) if theta[1] > -2 else numpy.float64(bowl(theta))

    result = hunch.sample(some, BOWL, **SMALL)
    assert result["u"].max() <= 1.5 and "zero" in result.evaluation_table["outcome"]
    with pytest.raises(hunch.ModelFailed, match="the log-likelihood is not a number"):
        hunch.sample(lambda theta: float("nan"), BOWL, **SMALL)


def test_attempts_are_made_again():
    seen = {}

    def flaky(theta):
        seen[theta.tobytes()] = seen.get(theta.tobytes(), 0) + 1
        if seen[theta.tobytes()] == 1 and theta[0] > 1:
            raise OSError("no licence left")
        return bowl(theta)

    result = hunch.sample(flaky, BOWL, attempts=2, **SMALL)
    plain = hunch.sample(bowl, BOWL, **SMALL)
    assert numpy.array_equal(result.draws, plain.draws)
    assert result.calls == plain.calls + (result.evaluation_table["outcome"] == "crash").sum() > plain.calls


def test_exits_are_not_swallowed():
    def leaves(theta):
        raise SystemExit(7)

    with pytest.raises(SystemExit):
        hunch.sample(leaves, BOWL, **SMALL)


def test_long_tracebacks_keep_their_end():
    def deep(level):
        if level == 0:
            raise ArithmeticError("at the bottom")
        return deep(level - 1) + 0

    with pytest.raises(hunch.ModelFailed) as caught:
        hunch.sample(lambda theta: deep(200), BOWL, **SMALL)
    words = str(caught.value)
    assert "at the bottom" in words and len(words) < 5000


def test_points_that_failed_for_good_are_warned_of():
    with pytest.warns(hunch.SamplingWarning, match=r"the model failed at \d+ of \d+ points, which count as zero likelihood"):
        result = hunch.sample(tangled, BOWL, on_failure="reject", **SMALL)
    assert any("the model failed at" in warning for warning in result.warnings)


def test_a_traceback_begins_in_the_users_own_code():
    def by_name(u, v):
        raise ValueError("no solution")

    with pytest.raises(hunch.ModelFailed) as caught:
        hunch.sample(by_name, BOWL, **SMALL)
    assert "in by_name" in str(caught.value) and "_functions.py" not in str(caught.value)
