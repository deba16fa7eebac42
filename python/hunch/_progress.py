"""How a run goes, while it goes: one line on a terminal or in a notebook, nothing elsewhere."""
from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Optional

_WIDTH = 24


class Progress:
    """Told by the run a few times a second. Does nothing unless somebody watches."""

    def __init__(self, shown: bool) -> None:
        self._show = _shower() if shown else None
        self._begun = time.monotonic()
        self._line = ""

    def at(self, iterations: int, total: int, evaluations: int, kept: int) -> None:
        if self._show is None:
            return
        share = min(1.0, iterations / total) if total > 0 else 0.0
        full = int(_WIDTH * share)
        phase = "sampling" if kept > 0 else "exploring" if iterations == 0 else "burn-in"
        self._line = (f"{phase:<9} [{'#' * full}{'.' * (_WIDTH - full)}] {iterations:,} of {total:,} iterations, "
                      f"{evaluations:,} evaluations, {_clock(time.monotonic() - self._begun)}{self._left(share)}")
        self._show.line(self._line)

    def stopping(self, under_way: int) -> None:
        """The first Ctrl-C; the words are the program's."""
        plural, them = ("", "it") if under_way == 1 else ("s", "them")
        words = f"stopping after the {under_way} evaluation{plural} under way; once more to abandon {them}"
        if self._show is None:
            print(words, file=sys.stderr, flush=True)
        else:
            self._show.line(f"{self._line}  {words}")

    def end(self) -> None:
        if self._show is not None:
            self._show.end()

    def _left(self, share: float) -> str:
        gone = time.monotonic() - self._begun
        if share <= 0.02 or share >= 1 or gone < 2:
            return ""
        return f", about {_clock(gone * (1 - share) / share)} left"


class _Terminal:
    def __init__(self, stream: Any) -> None:
        self._stream, self._shown = stream, 0

    def line(self, text: str) -> None:
        text = text[:shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be written over
        self._stream.write("\r" + text.ljust(self._shown))
        self._stream.flush()
        self._shown = len(text)

    def end(self) -> None:
        if self._shown:
            self._stream.write("\n")
            self._stream.flush()


class _Notebook:
    """One output that changes in place; needs no widgets."""

    def __init__(self, display: Any) -> None:
        self._display, self._handle = display, None

    def line(self, text: str) -> None:
        output = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(output, raw=True, display_id=True)
        else:
            self._handle.update(output, raw=True)

    def end(self) -> None:
        pass


def _shower() -> Optional[Any]:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and getattr(shell, "kernel", None) is not None:
        from IPython.display import display  # type: ignore[import]
        return _Notebook(display)
    try:
        return _Terminal(sys.stderr) if sys.stderr.isatty() else None
    except (AttributeError, ValueError):  # no stderr, or a closed one
        return None


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
