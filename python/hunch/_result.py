"""Result: the draws of a run, what they say, and what they cost."""
from __future__ import annotations

import html
import math
import os
import tempfile
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy

from hunch import _core
from hunch._doors import Path
from hunch._errors import InputError, SamplingWarning

_COLUMNS = ("mean", "median", "sd", "mad", "q5", "q95", "rhat", "ess_bulk", "ess_tail", "mcse_mean", "mcse_sd")
_SHOWN = _COLUMNS[:-1]


class Summary(Mapping[str, Dict[str, Optional[float]]]):
    """A row for each parameter: `summary["beta"]["mean"]`. Columns as in R's `posterior`; None where it says NA."""

    def __init__(self, rows: Any) -> None:
        self._rows = dict(rows)

    def __getitem__(self, name: str) -> Dict[str, Optional[float]]:
        return dict(self._rows[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_pandas(self) -> Any:
        """A pandas DataFrame; needs pandas."""
        import pandas  # type: ignore[import]
        return pandas.DataFrame.from_dict(self._rows, orient="index", columns=list(_COLUMNS), dtype=float)

    def __repr__(self) -> str:
        if not self._rows:
            return "no draws are kept"
        widest = max(8, *(len(name) for name in self._rows))
        lines = ["variable".ljust(widest) + "".join(c.rjust(11) for c in _SHOWN)]
        for name, row in self._rows.items():
            lines.append(name.ljust(widest) + "".join(_cell(c, row[c]).rjust(11) for c in _SHOWN))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{column}</th>" for column in _SHOWN)
        body = "".join("<tr><th>" + html.escape(name) + "</th>" +
                       "".join(f"<td>{_cell(c, row[c])}</td>" for c in _SHOWN) + "</tr>"
                       for name, row in self._rows.items())
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"


class Result:
    """What `hunch.sample` gives.

    draws           (chain, draw, parameter), an array; `result["beta"]` is (chain, draw)
    parameters      their names, in order
    evaluations     points that the run needed, from the first; `calls` those that this session paid for
    evaluation_table  theta, log_likelihood and outcome of each evaluation
    sample_stats    lp, accepted, evaluated, stage1_accept_prob: (chain, draw) each
    ending          "complete", "goal_reached", "evaluations_spent", "time_spent" or "interrupted"
    certificate     of audited draws, or None
    warnings        what you should know before you use the draws
    store           the run's directory, or None
    """

    def __init__(self, sampled: Any, again: Callable[[Dict[str, Any]], "Result"], name: str,
                 store: Optional[str]) -> None:
        self._sampled, self._again, self._name = sampled, again, name
        self.store = store
        self.parameters: List[str] = list(sampled.names)
        self.draws: numpy.ndarray = sampled.draws()
        self.sample_stats: Dict[str, numpy.ndarray] = sampled.sample_stats()
        self.evaluation_table: Optional[Dict[str, numpy.ndarray]] = sampled.evaluation_table()
        self.evaluations: int = sampled.evaluations
        self.calls: int = sampled.calls
        self.counts: Dict[str, int] = sampled.counts()
        self.ending: str = sampled.ending
        self.certificate: Optional[Dict[str, Any]] = sampled.certificate()
        self.attributes: Dict[str, Any] = sampled.attributes()

    def __getitem__(self, name: str) -> numpy.ndarray:
        try:
            return self.draws[:, :, self.parameters.index(name)]
        except ValueError:
            raise KeyError(f"{name!r}; the parameters are {', '.join(self.parameters)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def keys(self) -> List[str]:
        return list(self.parameters)

    @property
    def converged(self) -> bool:
        """R-hat at most 1.01 and 100 effective draws a chain, for every parameter, and no doubt that these cannot see."""
        return bool(self._sampled.converged)

    def _failed_points(self) -> "tuple[int, int]":
        """Points that no attempt answered, and all points."""
        table = self.evaluation_table
        if table is None or not numpy.isnan(table["log_likelihood"]).any():
            return 0, 0
        silent = numpy.isnan(table["log_likelihood"])
        answered = {row.tobytes() for row in table["theta"][~silent]}
        failed = {row.tobytes() for row in table["theta"][silent]} - answered
        return len(failed), len(failed) + len(answered)

    @property
    def warnings(self) -> List[str]:
        found = ["not to be trusted: " + doubt for doubt in self._sampled.doubts] + list(self._sampled.remarks)
        if self.certificate is not None and not self.certificate["passed"]:
            found.append(f"no certificate, so no draws: {self.certificate['reason']}")
            return found
        failed, points = self._failed_points()
        if failed:
            found.append(f"the model failed at {failed} of {points} points, which count as zero likelihood: no draw can be "
                         "there; the report shows where and why")
        if self.ending == "interrupted":
            found.append("stopped; nothing that was paid for is lost. Go on with result.resume()")
        elif self.ending in ("evaluations_spent", "time_spent"):
            found.append("the budget is spent. Raise it and go on: result.resume(max_evaluations=..., max_time=...)")
        if self.draws.size and not self.converged and not self._sampled.doubts:
            found.append("not converged: some R-hat is above 1.01 or some effective sample size below 100 a chain; go on "
                         "with result.resume(draws=...): what was paid for is free")
        return found

    def summary(self) -> Summary:
        """Means, quantiles and diagnostics of each parameter.

        >>> result.summary()["u"]["mean"]  # doctest: +SKIP
        0.89
        """
        return Summary(self._sampled.summary())

    def resume(self, **changes: Any) -> "Result":
        """Goes on, with more draws or another budget: `result.resume(draws=4000)`. What was paid for is free.

        Any argument of `hunch.sample` may be given; with a store only those that change no draw, and `draws`.
        """
        changes.setdefault("resume", True)
        unknown = [key for key in changes if key not in _ARGUMENTS]
        if unknown:
            raise InputError(f"{unknown[0]}: got {changes[unknown[0]]!r}, expected one of {', '.join(sorted(_ARGUMENTS))}")
        return self._again(changes)

    def report(self, path: Path = "report.html") -> str:
        """Writes the page about the run, as `hunch report` does: one HTML file that opens offline.

        A run that is in memory only is first written to a temporary directory; its model is not asked again.
        """
        seconds = self.attributes["sampling_time"]
        if self.store is not None:
            _core.write_report(self.store, os.fspath(path), seconds)
            return os.fspath(path)
        with tempfile.TemporaryDirectory(prefix="hunch-") as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)
            self._again({"store": os.path.join(folder, "run"), "durability": "relaxed", "progress": False, "workers": 1,
                         "timeout": None, **self._unbounded()})
            _core.write_report(os.path.join(folder, "run"), os.fspath(path), seconds, self._name)
        return os.fspath(path)

    def _unbounded(self) -> Dict[str, Any]:
        """How to ask for these draws again, whatever ended the run: without a look at the clock."""
        return {"max_time": None} if self.ending != "time_spent" else {"max_time": None, "max_evaluations": self.evaluations}

    def to_xarray(self) -> Any:
        """The draws as ArviZ lays them out: an `arviz.InferenceData` if ArviZ is installed, and otherwise a dict of
        xarray Datasets: posterior, sample_stats, warmup_posterior, evaluations. Needs xarray."""
        import xarray

        def dataset(columns: Mapping[str, numpy.ndarray], shape: Sequence[int]) -> Any:
            return xarray.Dataset({name: (("chain", "draw"), values) for name, values in columns.items()},
                                  coords={"chain": numpy.arange(shape[0]), "draw": numpy.arange(shape[1])},
                                  attrs=self.attributes)

        def by_parameter(draws: numpy.ndarray) -> Any:
            return dataset({name: draws[:, :, i] for i, name in enumerate(self.parameters)}, draws.shape)

        groups = {"posterior": by_parameter(self.draws), "sample_stats": dataset(self.sample_stats, self.draws.shape)}
        warmup = self._sampled.warmup()
        if warmup is not None:
            groups["warmup_posterior"] = by_parameter(warmup)
        table = self.evaluation_table
        if table is not None:
            groups["evaluations"] = xarray.Dataset(
                {"theta": (("evaluation", "parameter"), table["theta"]),
                 "log_likelihood": ("evaluation", table["log_likelihood"]), "outcome": ("evaluation", table["outcome"])},
                coords={"evaluation": numpy.arange(len(table["outcome"])), "parameter": self.parameters},
                attrs=self.attributes)
        try:
            import arviz  # type: ignore[import]
        except ImportError:
            return groups
        return arviz.InferenceData(**groups)

    def to_netcdf(self, path: Path) -> str:
        """Writes the draws as netCDF in ArviZ's layout, as `hunch export --to netcdf` does."""
        return self._written(self._sampled.write_netcdf, path)

    def to_csv(self, path: Path) -> str:
        """Writes the draws as one CSV file."""
        return self._written(self._sampled.write_csv, path)

    def to_cmdstan(self, path: Path) -> str:
        """Writes the draws as CmdStan's CSV files, in this directory."""
        return self._written(self._sampled.write_cmdstan, path)

    def to_getdist(self, path: Path) -> str:
        """Writes the draws as GetDist reads them, in this directory."""
        return self._written(self._sampled.write_getdist, path)

    @staticmethod
    def _written(write: Callable[[str], None], path: Path) -> str:
        write(os.fspath(path))
        return os.fspath(path)

    def __repr__(self) -> str:
        chains, draws = self.draws.shape[:2]
        words = [f"{chains} chains of {draws} draws, {self.evaluations} evaluations of the likelihood", ""]
        return "\n".join(words + [repr(self.summary())] + [f"\nnote: {warning}" for warning in self.warnings])

    def _repr_html_(self) -> str:
        chains, draws = self.draws.shape[:2]
        notes = "".join(f"<p>note: {html.escape(warning)}</p>" for warning in self.warnings)
        return (f"<p>{chains} chains of {draws} draws, {self.evaluations} evaluations of the likelihood</p>"
                f"{self.summary()._repr_html_()}{notes}")


def _cell(column: str, value: Optional[float]) -> str:
    if value is None or math.isnan(value):
        return "NA"
    if column == "rhat":
        return f"{value:.3f}"
    return f"{value:.0f}" if column.startswith("ess") and math.isfinite(value) else f"{value:.5g}"


_ARGUMENTS = frozenset(("method chains draws warmup seed store resume workers gradient vectorized start exactness "
                        "tolerance max_evaluations max_time goal on_failure attempts timeout screen learning covariance "
                        "name version durability progress").split())
