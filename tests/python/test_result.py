"""Results: arrays, tables and files that say the same, in the shapes that other tools expect."""
import sys
import warnings

import numpy
import pytest

import hunch
from conftest import BOWL, SMALL, bowl


@pytest.fixture(scope="module")
def result():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hunch.SamplingWarning)
        return hunch.sample(bowl, BOWL, **SMALL)


def test_shapes_and_names(result):
    assert result.draws.shape == (2, 60, 2) and result.draws.flags["C_CONTIGUOUS"]
    assert result.parameters == ["u", "v"] and list(result) == ["u", "v"] and "u" in result and "w" not in result
    assert numpy.array_equal(result["v"], result.draws[:, :, 1])
    with pytest.raises(KeyError, match="the parameters are u, v"):
        result["w"]
    assert {name: (a.shape, a.dtype.kind) for name, a in result.sample_stats.items()} == {
        "lp": ((2, 60), "f"), "accepted": ((2, 60), "b"), "evaluated": ((2, 60), "b"), "stage1_accept_prob": ((2, 60), "f")}
    assert len(result.evaluation_table["outcome"]) == result.evaluations == result.calls


def test_log_posterior_is_that_of_the_draws(result):
    exact = numpy.array([bowl(theta) - (theta ** 2).sum() / 8 for theta in result.draws.reshape(-1, 2)]).reshape(2, 60)
    difference = result.sample_stats["lp"] - exact
    assert numpy.abs(difference - difference[0, 0]).max() < 1e-9


def test_summary_is_a_table(result):
    summary = result.summary()
    assert list(summary) == ["u", "v"] and len(summary) == 2
    assert summary["u"]["mean"] == pytest.approx(result["u"].mean(), abs=1e-12)
    assert summary["u"]["sd"] == pytest.approx(result["u"].std(ddof=1), abs=1e-12)
    lines = repr(summary).splitlines()
    assert lines[0].split() == ["variable", "mean", "median", "sd", "mad", "q5", "q95", "rhat", "ess_bulk", "ess_tail",
                                "mcse_mean"]
    assert len({len(line) for line in lines}) == 1
    frame = summary.to_pandas()
    assert frame.loc["v", "median"] == summary["v"]["median"]
    assert repr(summary) in repr(result)


def test_names_stay_text_in_html():
    name = "<script>alert(1)</script>"
    hostile = hunch.sample(lambda theta: -theta[0] ** 2, {name: hunch.normal(0, 1)}, **SMALL)
    page = hostile._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_netcdf_is_what_arviz_reads(result, tmp_path):
    xarray = pytest.importorskip("xarray")
    path = result.to_netcdf(tmp_path / "draws.nc")
    groups = result.to_xarray()
    assert groups["warmup_posterior"].sizes["draw"] == groups["posterior"].attrs["tuning_steps"] > 0
    for name in ("posterior", "sample_stats", "warmup_posterior", "evaluations"):
        written, made = xarray.open_dataset(path, group=name), groups[name]
        assert set(written.variables) == set(made.variables), name
        for variable in made.variables:
            assert written[variable].dims == made[variable].dims
            assert numpy.array_equal(written[variable].values.astype(made[variable].dtype), made[variable].values), variable
        assert written.attrs["inference_library"] == made.attrs["inference_library"] == "hunch"
        assert written.attrs["created_at"] == made.attrs["created_at"]
    assert groups["posterior"]["u"].dims == ("chain", "draw")


def test_report_is_a_page_and_asks_nothing(tmp_path):
    calls = 0

    def counted(theta):
        nonlocal calls
        calls += 1
        return bowl(theta)

    in_memory = hunch.sample(counted, BOWL, version="1", **SMALL)
    kept = hunch.sample(counted, BOWL, store=tmp_path / "run", durability="relaxed", version="1", **SMALL)
    paid = calls
    for result in (in_memory, kept, in_memory.resume(max_evaluations=90)):
        page = (tmp_path / "page.html")
        assert result.report(page) == str(page)
        text = page.read_text()
        assert text.startswith("<!DOCTYPE html>") or text.lower().startswith("<!doctype html>")
        assert f"{result.summary()['u']['mean']:.3g}"[:4] in text
        assert "result.resume" in text and "counted" in text
        page.unlink()
    assert calls == paid


def test_other_formats_are_written(result, tmp_path):
    for write, name in ((result.to_csv, "draws.csv"), (result.to_cmdstan, "cmdstan"), (result.to_getdist, "getdist")):
        write(tmp_path / name)
    assert (tmp_path / "draws.csv").stat().st_size > 60 * 2
    assert any((tmp_path / "cmdstan").iterdir())


def test_warnings_say_what_is_wrong_and_good_runs_have_none():
    with pytest.warns(hunch.SamplingWarning, match="not converged: some R-hat is above 1.01"):
        hunch.sample(bowl, BOWL, chains=2, draws=10, warmup=10, method="mh", progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", hunch.SamplingWarning)
        good = hunch.sample(bowl, BOWL, draws=500, progress=False)
    assert good.converged and good.warnings == [] and good.ending == "complete"


def test_goal_ends_a_run():
    good = hunch.sample(bowl, BOWL, draws=5000, goal=200, progress=False)
    assert good.ending == "goal_reached" and good.draws.shape[1] < 5000
    assert min(row["ess_bulk"] for row in good.summary().values()) >= 200


def test_audited_draws_have_a_certificate(result):
    assert result.certificate is None
    audited = hunch.sample(bowl, BOWL, exactness="audited", draws=200, progress=False)
    assert audited.certificate["passed"] and max(audited.certificate["mean_bounds"]) <= 0.05
    assert audited.evaluations < 200 and audited.draws.shape == (4, 200, 2)


def test_progress_is_one_line_on_a_terminal_and_nothing_elsewhere(monkeypatch, capsys):
    class Terminal:
        def __init__(self): self.text = ""
        def write(self, text): self.text += text
        def flush(self): pass
        def isatty(self): return True

    hunch.sample(bowl, BOWL, **{**SMALL, "progress": True})
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    hunch.sample(bowl, BOWL, **{**SMALL, "progress": True})
    assert terminal.text.count("\n") == 1 and terminal.text.endswith("\n")
    last = terminal.text.rstrip("\n").split("\r")[-1]
    assert "120 of 120 iterations" in last and "evaluations" in last
    terminal.text = ""
    hunch.sample(bowl, BOWL, **SMALL)
    assert terminal.text == ""


def test_examples_in_the_docstrings_run():
    import doctest
    for module in (hunch, hunch._sample, hunch._priors, hunch._doors, hunch._result):
        tried = doctest.testmod(module, extraglobs={"hunch": hunch})
        assert tried.failed == 0, module
    assert doctest.testmod(hunch._sample, extraglobs={"hunch": hunch}).attempted >= 4
