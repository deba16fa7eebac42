"""What the tests of the Python package share."""
import os
import pathlib
import subprocess
import sys

import pytest

import hunch

collect_ignore = ["install_test.py"]  # it installs with pip, which is a test of its own
PROGRAM = os.environ["HUNCH_PROGRAM"]
BOWL = {"u": hunch.normal(0, 2), "v": hunch.normal(0, 2)}
SMALL = dict(chains=2, warmup=40, draws=60, progress=False)


def bowl(theta):
    """Products, not powers: numpy rounds those of arrays otherwise than those of numbers."""
    u, v = theta[0] - 1, theta[1] + 2
    return -0.5 * (u * u + v * v)


@pytest.fixture(autouse=True)
def quiet():
    """Small runs do not converge, and say so."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hunch.SamplingWarning)
        yield


@pytest.fixture
def program():
    def run(*arguments, folder):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=folder, timeout=300)
    return run


@pytest.fixture
def script(tmp_path):
    """Starts a Python program that may import hunch, and reads what it says line by line."""
    started = []

    def start(text, **options):
        path = tmp_path / f"script{len(started)}.py"
        path.write_text(text)
        process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=tmp_path, **options)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def source_root():
    return pathlib.Path(__file__).resolve().parent.parent.parent
