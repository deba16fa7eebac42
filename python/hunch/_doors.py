"""Models that are no Python function: programs, UM-Bridge servers and shared libraries, as in a config."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from hunch._errors import InputError

Path = Union[str, "os.PathLike[str]"]
Seconds = Union[float, str]


class Door:
    """A model as the table [model] of a config describes it; `sample` takes it in place of a function."""

    def __init__(self, keys: Dict[str, Any]) -> None:
        self._keys = {key: value for key, value in keys.items() if value is not None}

    def table(self, more: Mapping[str, Any]) -> str:
        """The table's lines, with what `sample` has to say of failures."""
        keys = {**self._keys, **{key: value for key, value in more.items() if value is not None}}
        return "".join(f"{key} = {_toml(key, value)}\n" for key, value in keys.items())

    def __repr__(self) -> str:
        return f"Door({', '.join(f'{key}={value!r}' for key, value in self._keys.items())})"


def program(command: Sequence[Path], *, style: Optional[str] = None, template: Optional[Path] = None,
            input_file: Optional[str] = None, result_file: Optional[str] = None, gradient: bool = False,
            timeout: Optional[Seconds] = None, data_files: Sequence[Path] = ()) -> Door:
    """A program of yours, never run through a shell.

    style "worker" (the default): started once, one line in and one line out for each evaluation; "once": started for
    each evaluation, in a directory of its own.

    >>> hunch.program(["python3", "sir.py"])
    Door(command=['python3', 'sir.py'], gradient=False)
    """
    if isinstance(command, (str, os.PathLike)):
        raise InputError(f"model.command: got {command!r}, expected a list of words such as [\"python3\", \"model.py\"]")
    return Door({"command": [os.fspath(word) for word in command], "style": style, "template": _path(template),
                 "input_file": input_file, "result_file": result_file, "gradient": gradient,
                 "timeout": _duration(timeout), "data_files": [os.fspath(f) for f in data_files] or None})


def umbridge(url: Union[str, Sequence[str]], *, name: Optional[str] = None, gives: Optional[str] = None,
             output_index: Optional[int] = None, data: Optional[Sequence[float]] = None,
             noise_sd: Union[float, Sequence[float], None] = None, config: Optional[Mapping[str, Any]] = None,
             gradient: bool = False, timeout: Optional[Seconds] = None) -> Door:
    """One or several UM-Bridge servers of the same model.

    gives: "log_likelihood" (the default), "log_posterior" (with flat priors here), or "forward", compared with `data`
    under Gaussian noise of `noise_sd`.
    """
    return Door({"url": url if isinstance(url, str) else list(url), "name": name, "gives": gives,
                 "output_index": output_index, "data": _numbers(data), "noise_sd": _numbers(noise_sd),
                 "config": None if config is None else dict(config), "gradient": gradient,
                 "timeout": _duration(timeout)})


def library(path: Path, *, gradient: bool = False) -> Door:
    """A shared library with the C interface of hunch_model.h; it is called in this process."""
    return Door({"library": os.fspath(path), "gradient": gradient})


def _path(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _duration(timeout: Optional[Seconds]) -> Optional[str]:
    return f"{float(timeout)!r}s" if isinstance(timeout, (int, float)) else timeout


def _numbers(values: Any) -> Any:
    if values is None or isinstance(values, (int, float)):
        return values
    return [float(value) for value in values]


def _toml(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(key, item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(key, str(k))} = {_toml(key, v)}" for k, v in value.items()) + " }"
    raise InputError(f"model.{key}: got {value!r}, expected a text, a number, a list or a table of these")
