"""A user's function as the library asks it: with one array, or by its parameters' names."""
from __future__ import annotations

import hashlib
import inspect
import os
import traceback
import types
from typing import Any, Callable, List, Optional, Sequence

import numpy

from hunch import _core
from hunch._errors import InputError

_LINES_KEPT = 12
_CHARACTERS_KEPT = 4000


class Function:
    """A log-likelihood, how it wants to be called, and the exception it last raised."""

    def __init__(self, function: Callable[..., Any], names: Sequence[str], gradient: Any, vectorized: bool) -> None:
        if not (gradient is True or gradient is False or callable(gradient)):
            raise InputError(f"gradient: got {gradient!r}, expected True, False or a function")
        self.exception: Optional[BaseException] = None
        self.gives_gradient = gradient is not False
        call = _taking_an_array(function, names, "log_likelihood")
        value, both = (None, call) if gradient is True else (call, None)
        if callable(gradient):
            slope = _taking_an_array(gradient, names, "gradient")
            both = lambda theta: (call(theta), slope(theta))  # noqa: E731
        self.core = _core.Function(value, both, self._describe, vectorized)

    def _describe(self, exception: BaseException) -> str:
        self.exception = exception
        return described(exception)


def described(exception: BaseException) -> str:
    """The end of its traceback: the calls nearest to the mistake, and what it says."""
    trace = exception.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next  # the user's own calls come after ours
    lines = "".join(traceback.format_exception(type(exception), exception, trace)).splitlines()
    if lines and lines[0].startswith("Traceback"):
        lines = lines[1:]
    if len(lines) > _LINES_KEPT:
        lines = ["  ..."] + lines[-_LINES_KEPT:]
    return "\n".join(lines)[-_CHARACTERS_KEPT:]


def _taking_an_array(function: Callable[..., Any], names: Sequence[str], what: str) -> Callable[..., Any]:
    """By name if the signature names all the parameters; or else with one array, in the order of `parameters`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, and does not say
        return function
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters) and not positional
    if takes_any or (all(name in named for name in names) and set(needed) <= set(names)):
        return lambda theta: function(**dict(zip(names, theta.T)))
    if positional and len(needed) <= 1:
        return function
    raise InputError(f"{what}: got a function of ({', '.join(needed)}), expected one argument, an array, or the "
                     f"parameters by their names: {', '.join(names)}")


def fingerprint(functions: Sequence[Any]) -> str:
    """Of what a function computes, as far as it can be seen: its code, the functions it calls by name, and the plain
    data that it refers to. Line numbers and comments do not count."""
    digest = hashlib.sha256()
    seen: List[int] = []
    for function in functions:
        _add(digest, function, seen)
    return digest.hexdigest()[:16]


def _add(digest: Any, value: Any, seen: List[int]) -> None:
    if isinstance(value, types.FunctionType):
        if _is_installed(value):
            digest.update(value.__qualname__.encode())
        elif id(value) not in seen:
            seen.append(id(value))
            _add_function(digest, value, seen)
    elif isinstance(value, types.MethodType):
        _add(digest, value.__func__, seen)
    elif isinstance(value, numpy.ndarray) and value.dtype != object:
        digest.update(repr((value.dtype.str, value.shape)).encode() + numpy.ascontiguousarray(value).tobytes())
    elif isinstance(value, (list, tuple)):
        digest.update(f"{type(value).__name__} of {len(value)}".encode())
        for item in value:
            _add(digest, item, seen)
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            _add(digest, key, seen)
            _add(digest, value[key], seen)
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes, numpy.generic)):
        digest.update(repr(value).encode())
    else:  # of a module, a class or an object only its kind is seen
        digest.update(type(value).__name__.encode())


def _is_installed(function: types.FunctionType) -> bool:
    """Whether it is Python's own or a package's: these are taken by their names."""
    file = function.__code__.co_filename
    return file.startswith(os.path.dirname(os.__file__)) or "-packages" in file


def _add_function(digest: Any, function: types.FunctionType, seen: List[int]) -> None:
    _add_code(digest, function.__code__)
    _add(digest, function.__defaults__, seen)
    _add(digest, function.__kwdefaults__, seen)
    for cell in function.__closure__ or ():
        try:
            _add(digest, cell.cell_contents, seen)
        except ValueError:  # not filled yet
            pass
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            digest.update(name.encode())
            _add(digest, function.__globals__[name], seen)


def _names(code: types.CodeType) -> set:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _add_code(digest: Any, code: types.CodeType) -> None:
    digest.update(code.co_code + repr((code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _add_code(digest, constant)
        elif not isinstance(constant, frozenset):
            digest.update(repr(constant).encode())
        else:
            digest.update(repr(sorted(constant, key=repr)).encode())
