"""Worker processes: deaths are failures of their point, late ones are ended, and none outlives the run."""
import os
import signal
import time

import numpy
import pytest

import hunch
from conftest import BOWL, SMALL, bowl


def alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until_dead(process, seconds=30):
    end = time.monotonic() + seconds
    while alive(process):
        assert time.monotonic() < end, f"process {process} outlives the run"
        time.sleep(0.01)


def dies(theta):
    if theta[0] > 1.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return bowl(theta)


def test_death_is_a_failure_of_its_point_and_the_worker_is_replaced():
    with pytest.raises(hunch.ModelFailed, match=r"the worker process died: Killed \(signal 9\)"):
        hunch.sample(dies, BOWL, workers=2, **SMALL)
    result = hunch.sample(dies, BOWL, workers=2, on_failure="reject", **SMALL)
    table = result.evaluation_table
    assert numpy.array_equal(table["outcome"] == "crash", table["theta"][:, 0] > 1.5)
    assert (table["outcome"] == "crash").sum() > 2


def test_exit_code_is_told():
    with pytest.raises(hunch.ModelFailed, match="the worker process died: exited with code 3"):
        hunch.sample(lambda theta: os._exit(3), BOWL, workers=2, **SMALL)


def test_late_workers_are_ended(tmp_path):
    def hangs(theta):
        if theta[0] > 1.1:
            (tmp_path / str(os.getpid())).touch()
            time.sleep(600)
        return bowl(theta)

    result = hunch.sample(hangs, BOWL, workers=2, timeout=0.2, on_failure="reject", method="mh", chains=2, warmup=0, draws=10,
                          start={"u": 0.8, "v": -2}, progress=False, seed=3)
    table = result.evaluation_table
    assert numpy.array_equal(table["outcome"] == "timeout", table["theta"][:, 0] > 1.1)
    hung = [int(path.name) for path in tmp_path.iterdir()]
    assert hung and not any(alive(process) for process in hung)


def test_workers_are_as_many_as_asked_for_and_end_with_the_run(tmp_path):
    def counted(theta):
        (tmp_path / str(os.getpid())).touch()
        return bowl(theta)

    hunch.sample(counted, BOWL, workers=3, method="mh", chains=6, warmup=5, draws=40, progress=False)
    seen = [int(path.name) for path in tmp_path.iterdir()]
    assert 1 < len(seen) <= 3 and os.getpid() not in seen
    assert not any(alive(process) for process in seen)


def test_workers_and_what_they_started_end_when_the_run_is_killed(tmp_path, script):
    process = script("""
import os, subprocess, sys
import hunch
def hangs(theta):
    child = subprocess.Popen(["sleep", "600"])
    print(os.getpid(), child.pid, flush=True)
    child.wait()
hunch.sample(hangs, {"u": hunch.normal(0, 1)}, workers=2, progress=False)
""")
    started = [int(word) for _ in range(2) for word in process.stdout.readline().split()]
    process.kill()
    process.wait()
    for each in started:
        until_dead(each)


def test_a_workers_stdin_is_empty_and_its_group_its_own():
    def reads(theta):
        assert os.read(0, 1) == b"" and os.getpgid(0) == os.getpid()
        return bowl(theta)

    hunch.sample(reads, BOWL, workers=2, **SMALL)
