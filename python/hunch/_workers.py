"""Worker processes for a Python function: a nursery forks them, and ends them when we end, however that happens.

The nursery is forked before the run has threads, and never has any itself: every worker, also one that replaces a dead
one, is forked from a process in a sane state. It holds the function, so nothing needs to be pickled. How we talk is the
other half of worker_model.cpp: five bytes to the nursery, `n` and `k` with a process's number; a byte and the numbers
of theta to a worker, and its answer as the struct below.
"""
from __future__ import annotations

import os
import signal
import socket
import struct
import sys
from typing import Any, List, Optional

_REQUEST = struct.Struct("=ci")
_NUMBER = struct.Struct("=i")
_ANSWER = struct.Struct("=iiiid")


class Nursery:
    """The process that forks workers, as long as the `with` lasts."""

    def __init__(self, function: Any, dimension: int) -> None:
        self._function, self._dimension = function, dimension

    def __enter__(self) -> "Nursery":
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            ours.close()
            _end_with(_nurse, theirs, self._function, self._dimension)
        theirs.close()
        self._socket = ours
        return self

    def hand_over(self) -> int:
        """A descriptor of the socket for the library, which closes it."""
        return os.dup(self._socket.fileno())

    def __exit__(self, *_: Any) -> None:
        try:
            self._socket.sendall(_REQUEST.pack(b"q", 0))
        except OSError:
            pass
        self._socket.close()
        os.waitpid(self.process, 0)


def _end_with(work: Any, *arguments: Any) -> None:
    """Does this and nothing else of the process it was forked from: no cleaning up, no exit handlers."""
    code = 1
    try:
        work(*arguments)
        code = 0
    finally:
        os._exit(code)


def _nurse(control: socket.socket, function: Any, dimension: int) -> None:
    os.setpgid(0, 0)  # Ctrl-C in a terminal is for the process that samples
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    workers: List[int] = []
    try:
        while True:
            request = _receive(control, _REQUEST.size)
            what, process = _REQUEST.unpack(request) if request else (b"q", 0)
            if what == b"q":
                return
            if what == b"n":
                workers.append(_birth(control, function, dimension))
            elif what == b"k":
                workers.remove(process)
                control.sendall(_NUMBER.pack(_death(process)))
    finally:
        for process in workers:
            _death(process)


def _birth(control: socket.socket, function: Any, dimension: int) -> int:
    ours, theirs = socket.socketpair()
    process = os.fork()
    if process == 0:
        control.close()
        ours.close()
        _end_with(_work, theirs, function, dimension)
    theirs.close()
    try:
        os.setpgid(process, process)  # here and there: whoever comes first
    except OSError:
        pass
    socket.send_fds(control, [_NUMBER.pack(process)], [ours.fileno()])
    ours.close()
    return process


def _death(process: int) -> int:
    """Ends a worker and what it started, if they still live, and says how it ended."""
    ended, status = os.waitpid(process, os.WNOHANG)
    try:
        os.killpg(process, signal.SIGKILL)
    except OSError:
        pass
    return status if ended else os.waitpid(process, 0)[1]


def _work(parent: socket.socket, function: Any, dimension: int) -> None:
    try:
        os.setpgid(0, 0)
    except OSError:
        pass
    question = struct.Struct(f"=B{dimension}d")
    while True:
        request = _receive(parent, question.size)
        if not request:
            return
        want, *theta = question.unpack(request)
        kind, value, slopes, message = function.ask(theta, want == 1)
        slopes, text = slopes or [], message.encode()
        parent.sendall(_ANSWER.pack(kind, len(slopes), len(text), 0, value) +
                       struct.pack(f"={len(slopes)}d", *slopes) + text)


def _receive(source: socket.socket, size: int) -> Optional[bytes]:
    """So many bytes; nothing when the other end is closed."""
    received = b""
    while len(received) < size:
        part = source.recv(size - len(received))
        if not part:
            return None
        received += part
    return received
