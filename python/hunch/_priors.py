"""The priors of a config, by the same names and with the same arguments."""
from __future__ import annotations

from typing import Optional

from hunch import _core
from hunch._core import Prior


def normal(mean: float, sd: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Normal with this mean and standard deviation.

    >>> hunch.normal(0, 2, lower=0)
    normal(0, 2, lower=0)
    """
    return _core.prior("normal", [mean, sd], lower, upper)


def lognormal(mu: float, sigma: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """log theta is normal(mu, sigma)."""
    return _core.prior("lognormal", [mu, sigma], lower, upper)


def uniform(low: float, high: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Uniform between low and high."""
    return _core.prior("uniform", [low, high], lower, upper)


def halfnormal(scale: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """|x| for x normal(0, scale)."""
    return _core.prior("halfnormal", [scale], lower, upper)


def halfcauchy(scale: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """|x| for x cauchy(0, scale)."""
    return _core.prior("halfcauchy", [scale], lower, upper)


def cauchy(location: float, scale: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Cauchy."""
    return _core.prior("cauchy", [location, scale], lower, upper)


def student_t(dof: float, location: float, scale: float, *, lower: Optional[float] = None,
              upper: Optional[float] = None) -> Prior:
    """Student's t with dof degrees of freedom."""
    return _core.prior("student_t", [dof, location, scale], lower, upper)


def exponential(rate: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Exponential with mean 1 / rate."""
    return _core.prior("exponential", [rate], lower, upper)


def gamma(shape: float, rate: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Gamma with mean shape / rate."""
    return _core.prior("gamma", [shape, rate], lower, upper)


def inverse_gamma(shape: float, scale: float, *, lower: Optional[float] = None,
                  upper: Optional[float] = None) -> Prior:
    """1 / x for x gamma(shape, rate=scale)."""
    return _core.prior("inverse_gamma", [shape, scale], lower, upper)


def beta(a: float, b: float, *, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Beta on (0, 1)."""
    return _core.prior("beta", [a, b], lower, upper)


def flat(*, lower: Optional[float] = None, upper: Optional[float] = None) -> Prior:
    """Density one; improper unless both bounds are given, and then `sample` needs a start."""
    return _core.prior("flat", [], lower, upper)
