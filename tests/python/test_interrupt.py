"""Ctrl-C: once stops after what is under way, twice abandons it; with a store there is a result, else an exception."""
import re
import signal

import numpy
import pytest

import hunch
from conftest import BOWL, bowl

SCRIPT = """
import os, signal, sys, time
import hunch
calls = 0
def slow(theta):
    global calls
    calls += 1
    if os.getppid() != MAIN and os.getpid() != MAIN or calls == 25:
        os.write(1, b"under way\\n")
        {busy}
    u, v = theta[0] - 1, theta[1] + 2
    return -0.5 * (u * u + v * v)
MAIN = os.getpid()
try:
    result = hunch.sample(slow, {{"u": hunch.normal(0, 2), "v": hunch.normal(0, 2)}}, store={store!r}, chains=2, draws=60,
                          workers={workers}, version="1", durability="relaxed")
    print(result.ending, len(result.evaluation_table["outcome"]), flush=True)
except KeyboardInterrupt as interrupt:
    print("KeyboardInterrupt:", interrupt, flush=True)
for _ in range(1000):  # nothing is left over that would be raised now
    time.sleep(0)
print("signals as before:", signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""
WAITS_FOR_A_LINE = "sys.stdin.readline()"
HANGS = "time.sleep(600)"


def interrupted(script, times, **options):
    """What the script says after so many interrupts, each sent when the one before was heard."""
    process = script(SCRIPT.format(**options), stdin=-1)
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGINT)
    heard = ""
    while "once more to abandon" not in heard:
        heard = process.stderr.readline()
        assert heard, "it ended"
    if times == 2:
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(input="\n", timeout=60)
    return out.splitlines()


def test_first_one_waits_for_the_call_under_way_and_keeps_its_answer(script, tmp_path):
    said = interrupted(script, 1, busy=WAITS_FOR_A_LINE, store="run", workers=1)
    assert said == ["interrupted 25", "signals as before: True"]
    rest = hunch.sample(bowl, BOWL, store=tmp_path / "run", chains=2, draws=60, name="slow", version="1", durability="relaxed",
                        progress=False)
    assert rest.calls == rest.evaluations - 25
    assert numpy.array_equal(rest.draws, hunch.sample(bowl, BOWL, chains=2, draws=60, progress=False).draws)


def test_without_a_store_it_is_an_exception(script):
    said = interrupted(script, 1, busy=WAITS_FOR_A_LINE, store=None, workers=1)
    assert said[0].startswith("KeyboardInterrupt:") and said[1:] == ["signals as before: True"]


@pytest.mark.parametrize("store", ["run", None])
def test_second_one_abandons_a_call_that_hangs(script, store):
    said = interrupted(script, 2, busy=HANGS, store=store, workers=1)
    assert said[0] == "interrupted 24" if store else said[0].startswith("KeyboardInterrupt:")
    assert said[1:] == ["signals as before: True"]


@pytest.mark.parametrize("store", ["run", None])
def test_second_one_abandons_workers_that_hang(script, store):
    said = [line for line in interrupted(script, 2, busy=HANGS, store=store, workers=2) if line != "under way"]
    assert re.match("interrupted [0-9]+" if store else "KeyboardInterrupt: .*abandoned", said[0])
    assert said[1:] == ["signals as before: True"]


def test_handler_of_the_users_own_is_left_alone(script):
    process = script("""
import os, signal
import hunch
class Mine(Exception): pass
def handler(*_): raise Mine
signal.signal(signal.SIGINT, handler)
calls = 0
def f(theta):
    global calls
    calls += 1
    return -theta[0] ** 2
def g(theta):
    if calls == 20: os.kill(os.getpid(), signal.SIGINT)
    return f(theta)
try:
    hunch.sample(g, {"u": hunch.normal(0, 1)}, on_failure="stop", progress=False)
except (Mine, hunch.ModelFailed) as caught:
    print("Mine" in repr(caught) or isinstance(caught, Mine))
""")
    out, err = process.communicate(timeout=60)
    assert out == "True\n", err


def test_sampling_in_another_thread_works():
    import threading
    found = []
    thread = threading.Thread(target=lambda: found.append(hunch.sample(bowl, BOWL, chains=2, draws=40, progress=False)))
    thread.start()
    thread.join()
    assert numpy.array_equal(found[0].draws, hunch.sample(bowl, BOWL, chains=2, draws=40, progress=False).draws)


def test_other_threads_run_while_a_door_is_waited_for(tmp_path):
    """The worker answers only when a thread of ours has written a file: with the GIL held nobody could."""
    import threading
    (tmp_path / "worker.sh").write_text("while read -r line; do while [ ! -e go ]; do :; done; echo -1; done\n")
    import os
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        timer = threading.Timer(0.05, lambda: (tmp_path / "go").touch())
        timer.start()
        hunch.sample(hunch.program(["/bin/sh", "worker.sh"], timeout=60), BOWL, method="mh", chains=1, warmup=0, draws=2,
                     progress=False)
    finally:
        os.chdir(before)
        timer.join()
