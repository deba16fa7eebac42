"""Hunch: draws from a Bayesian posterior when one likelihood evaluation is expensive.

>>> import hunch
>>> result = hunch.sample(lambda theta: -0.5 * theta[0] ** 2, parameters={"x": hunch.normal(0, 3)})
>>> print(result.summary())  # doctest: +SKIP
"""
from hunch._core import Prior
from hunch._core import version as __version__
from hunch._doors import Door, library, program, umbridge
from hunch._errors import (Error, InputError, ModelFailed, ModelUnavailable, SamplingWarning, StoreFailed, StoreInUse,
                           StoreRefused)
from hunch._priors import (beta, cauchy, exponential, flat, gamma, halfcauchy, halfnormal, inverse_gamma, lognormal, normal,
                           student_t, uniform)
from hunch._result import Result, Summary
from hunch._sample import sample

__all__ = [
    "Door", "Error", "InputError", "ModelFailed", "ModelUnavailable", "Prior", "Result", "SamplingWarning",
    "StoreFailed", "StoreInUse", "StoreRefused", "Summary", "__version__", "beta", "cauchy", "exponential", "flat",
    "gamma", "halfcauchy", "halfnormal", "inverse_gamma", "library", "lognormal", "normal", "program", "sample",
    "student_t", "umbridge", "uniform"
]
