"""sample: from a log-likelihood and its parameters' priors to draws from the posterior."""
from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from hunch import _core
from hunch._doors import Door, Path, Seconds
from hunch._errors import InputError, ModelFailed, SamplingWarning
from hunch._functions import Function, fingerprint
from hunch._progress import Progress
from hunch._result import Result
from hunch._workers import Nursery

Model = Union[Callable[..., Any], Door]


def sample(log_likelihood: Model, parameters: Mapping[str, Union[_core.Prior, str]], *, method: str = "auto",
           chains: int = 4, draws: int = 1000, warmup: Optional[int] = None, seed: int = 1,
           store: Optional[Path] = None, resume: bool = True, workers: int = 1,
           gradient: Union[bool, Callable[..., Any]] = False, vectorized: bool = False,
           start: Optional[Mapping[str, float]] = None, exactness: str = "exact", tolerance: float = 0.05,
           max_evaluations: Optional[int] = None, max_time: Optional[Seconds] = None,
           goal: Union[float, Mapping[str, float], None] = None, on_failure: str = "stop", attempts: Optional[int] = None,
           timeout: Optional[float] = None, screen: str = "early", learning: str = "continue",
           covariance: str = "se", name: Optional[str] = None, version: Optional[str] = None,
           durability: str = "full", progress: bool = True) -> Result:
    """Draw from the posterior of an expensive log-likelihood.

    >>> import hunch
    >>> def log_likelihood(theta):
    ...     return -0.5 * ((theta[0] - 1) ** 2 + (theta[1] + 2) ** 2) / 0.5
    >>> result = hunch.sample(log_likelihood, parameters={"u": hunch.normal(0, 2), "v": hunch.normal(0, 2)})
    >>> result["u"].shape
    (4, 1000)

    log_likelihood
        A function that is called with one numpy array, the parameters in their order; or with keywords, if its
        signature names all of them: `def log_likelihood(beta, gamma)`. It returns a number, or minus infinity where the
        likelihood is zero. What it raises is a recorded failure. Or a door: `hunch.program`, `hunch.umbridge`,
        `hunch.library`.
    parameters
        A prior for each name: `hunch.lognormal(1, 0.5)` or "lognormal(1, 0.5)". The order is the order of theta.
    method
        "auto", "mh", "gp-mh", "mala", "gp-mala" or "transition".
    chains, draws, warmup, seed
        Chains share one surrogate; each keeps `draws` draws after `warmup` iterations (default 500; "auto" and
        "transition" end burn-in by themselves). The draws depend on the seed, never on `workers`.
    store
        Directory of the run. Every evaluation is safe on disk before it is used; the same call again goes on where it
        was, free, also with more draws; `hunch status`, `diagnose`, `export` and `report` read it. None: in memory only.
    resume
        False refuses a `store` that holds a run already.
    workers
        Evaluations at a time. Above 1 a Python function runs in forked processes.
    gradient
        True: the function returns (log-likelihood, gradient); or a second function that returns the gradient.
    vectorized
        True: theta is 2-D, a row for each point of a round, and the function returns a number for each row.
    start
        Where chains start, by name; needed for flat priors.
    exactness, tolerance
        "audited": draws of the surrogate with a certificate (`result.certificate`), or a refusal.
    max_evaluations, max_time, goal
        What ends a run early: evaluations paid for, seconds (or "1h30m"), an effective sample size (or
        {"ess": 400, "rhat": 1.01}).
    on_failure, attempts, timeout
        "stop" raises ModelFailed; "reject" counts a failed point as zero likelihood. Attempts at a point that raises or
        dies (1; doors 3). Seconds for one evaluation of a function in worker processes.
    screen, learning, covariance
        As in a config.
    name, version
        Of the function, for the store: evaluations of another version are not its own. By default the function's name,
        and a fingerprint of its code and of the plain data that it refers to.
    durability
        "full": evaluations in the store survive a power cut; "relaxed": the death of this process only, but faster.
    progress
        One line on a terminal or in a notebook.

    Ctrl-C stops after the evaluations under way, and gives an interrupted result if there is a store, or else raises
    KeyboardInterrupt; once more abandons them.
    """
    given = {key: value for key, value in locals().items() if key not in ("log_likelihood", "parameters")}
    return _sample(log_likelihood, parameters, given, None)


def _sample(model: Model, parameters: Mapping[str, Any], given: Dict[str, Any], memory: Any) -> Result:
    """The same with what an earlier call in this process has paid for."""
    rows = _rows(parameters, given["start"])
    options = _options(model, given)
    progress = Progress(given["progress"])
    try:
        sampled = _ask(model, [row[0] for row in rows], rows, options, given, progress, memory)
    finally:
        progress.end()
    if sampled.ending == "interrupted" and given["store"] is None:
        raise KeyboardInterrupt(f"stopped after {sampled.evaluations} evaluations; with store=... they are kept")
    result = Result(sampled, lambda changes: _sample(model, parameters, {**given, **changes}, sampled.memory),
                    options["name"], options["directory"])
    for message in result.warnings:
        warnings.warn(message, SamplingWarning, stacklevel=3)
    return result


def _ask(model: Model, names: List[str], rows: List[Any], options: Dict[str, Any], given: Dict[str, Any],
         progress: Progress, memory: Any) -> Any:
    def run(asked: Any) -> Any:
        return _core.sample(asked, rows, options, progress.at, progress.stopping, _sigint_is_ours(), memory)

    if isinstance(model, Door):
        for key in ("gradient", "vectorized", "timeout"):
            if given[key]:
                raise InputError(f"{key}: got {given[key]!r}, expected none with a door: say it there")
        return run(model.table({"attempts": given["attempts"], "on_failure": given["on_failure"]}))
    if not callable(model):
        raise InputError(f"log_likelihood: got {model!r}, expected a function or a door such as hunch.program([...])")
    function = Function(model, names, given["gradient"], given["vectorized"])
    try:
        if not _in_processes(given):
            return run(function.core)
        with Nursery(function.core, len(names)) as nursery:
            return run(_core.Workers(nursery.hand_over(), given["workers"], function.gives_gradient, given["timeout"]))
    except ModelFailed as failure:
        raise failure from function.exception
    except InputError as error:
        raise _explained(error, given) from None


def _in_processes(given: Mapping[str, Any]) -> bool:
    workers, timeout = given["workers"], given["timeout"]
    many = isinstance(workers, int) and workers > 1
    if many and given["vectorized"]:
        raise InputError(f"workers: got {workers}, expected 1 with vectorized=True: all points go in one call")
    if timeout is None:
        return many
    if not (isinstance(timeout, (int, float)) and timeout > 0):
        raise InputError(f"timeout: got {timeout!r}, expected seconds, more than 0")
    if not many:
        raise InputError(f"timeout: got {timeout!r} with workers=1, expected workers=2 or more: a function of this process "
                         "cannot be ended")
    return True


def _rows(parameters: Mapping[str, Any], start: Optional[Mapping[str, float]]) -> List[Any]:
    if not isinstance(parameters, Mapping):
        raise InputError(f"parameters: got {parameters!r}, expected a dict from names to priors")
    for name in parameters:
        if not isinstance(name, str):
            raise InputError(f"parameters: got the name {name!r}, expected a text")
    unknown = [name for name in start or {} if name not in parameters]
    if unknown:
        raise InputError(f"start: got {unknown[0]!r}, expected one of {', '.join(parameters)}")
    return [(name, prior, (start or {}).get(name)) for name, prior in parameters.items()]


def _options(model: Model, given: Mapping[str, Any]) -> Dict[str, Any]:
    options = {key: given[key] for key in given if key not in ("start", "store", "progress", "gradient", "vectorized",
                                                               "timeout", "name", "version")}
    options["directory"] = None if given["store"] is None else os.fspath(given["store"])
    if isinstance(model, Door):
        options["name"] = repr(model)  # of use only where its evaluations were in memory before they came to a store
    else:
        options["name"] = given["name"] or getattr(model, "__name__", type(model).__name__)
        options["version"] = given["version"]
        if given["version"] is None:
            options["version"] = fingerprint([model, given["gradient"] if callable(given["gradient"]) else None])
    return options


def _explained(error: InputError, given: Mapping[str, Any]) -> InputError:
    """Nobody has written the fingerprint that differs: says what it means, and the way out."""
    if given["version"] is None and "model.version" in str(error):
        return InputError(f"{error}; the function, or data that it uses, is not what it was. If it computes the same "
                          "all the same, give version= as the run has it")
    return error


def _sigint_is_ours() -> bool:
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
