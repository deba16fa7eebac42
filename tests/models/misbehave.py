"""A model that misbehaves on purpose.

Usage: misbehave.py MODE [TAG]     Reads {"a": .., "b": ..} lines from standard input; TAG is only there to be
seen in the list of processes. Works as a long-lived worker and as a program that is run once.
"""
import json
import os
import signal
import sys
import time

MODES = {}


def mode(act):
    MODES[act.__name__] = act
    return act


def say(text):
    os.write(1, text.encode())


def log_likelihood(theta):
    return -0.5 * theta["a"] ** 2 - 3 * theta["b"]


def answer(theta):
    say(f"{log_likelihood(theta)!r}\n")


def hang():
    while True:
        time.sleep(3600)


def says(text):
    return lambda theta: say(text)


@mode
def good(theta):
    answer(theta)


@mode
def good_gradient(theta):
    say(json.dumps({"log_likelihood": log_likelihood(theta), "gradient": [-theta["a"], -3.0]}) + "\n")


@mode
def echo(theta):
    say(f"{theta['a']!r}\n")


@mode
def hang_before_output(theta):
    hang()


@mode
def hang_after_output(theta):
    answer(theta)
    hang()


@mode
def partial_line(theta):
    say("-1.")
    hang()


@mode
def slow(theta):
    for character in "-1.23456789012345678901234567890\n":
        say(character)
        time.sleep(1)


@mode
def endless_bytes(theta):
    while True:
        say("1" * 4096)


@mode
def endless_lines(theta):
    while True:
        say("-1.5\n" * 1000)


MODES["nan"] = says("nan\n")
MODES["json_nan"] = says('{"log_likelihood": NaN}\n')
MODES["plus_infinity"] = says("inf\n")
MODES["minus_infinity"] = says("-inf\n")
MODES["overflow"] = says("1e999\n")
MODES["comma"] = says("1,5\n")
MODES["hexadecimal"] = says("0x1p3\n")
MODES["empty_line"] = says("\n")
MODES["extra_columns"] = says("-1.5 0.3\n")
MODES["wrong_gradient"] = says('{"log_likelihood": -1.5, "gradient": [1, 2, 3]}\n')
MODES["bad_json"] = says('{"log_likelihood": -1.5, "gradient": [1, \n')
MODES["deep_json"] = says('{"a": ' + "[" * 100000 + "]" * 100000 + "}\n")
MODES["two_answers"] = says("-1.5\n-2.5\n")
MODES["markup"] = says("<script>\x1b[31m\n")


@mode
def late_second_answer(theta):
    """A file in its directory says when the second one has been written."""
    answer(theta)
    time.sleep(0.1)
    answer(theta)
    with open("said-twice", "w"):
        pass


@mode
def exit_three(theta):
    sys.stderr.write("no convergence in cell 17\n")
    sys.exit(3)


@mode
def answers_and_exit_three(theta):
    answer(theta)
    sys.exit(3)


@mode
def segfault(theta):
    os.kill(os.getpid(), signal.SIGSEGV)


@mode
def stops_itself(theta):
    os.kill(os.getpid(), signal.SIGSTOP)
    hang()


@mode
def fork_and_exit(theta):
    answer(theta)
    if os.fork() == 0:
        hang()
    os._exit(0)


@mode
def fork_and_exit_silently(theta):
    if os.fork() == 0:
        hang()
    os._exit(0)


@mode
def escape_by_two_forks(theta):
    """The grandchild has a session of its own and no living parent."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            hang()
        os._exit(0)
    os.waitpid(child, 0)
    answer(theta)


@mode
def offspring_without_environment(theta):
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-IS", __file__, "just_hang", *sys.argv[2:]], {})
    time.sleep(0.1)
    answer(theta)


@mode
def offspring_in_another_group(theta):
    if os.fork() == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execve(sys.executable, [sys.executable, "-IS", __file__, "just_hang", *sys.argv[2:]], {})
    time.sleep(0.1)
    answer(theta)


@mode
def offspring_in_another_group_and_hang(theta):
    if os.fork() == 0:
        os.setpgid(0, 0)
    hang()


@mode
def ignores_sigterm(theta):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang()


@mode
def answers_but_never_leaves(theta):
    """Goes on when its input ends, and when it is asked to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    answer(theta)
    if not sys.stdin.readline():
        hang()


@mode
def closes_stdout(theta):
    os.close(1)
    hang()


@mode
def closes_stdout_and_ends(theta):
    os.close(1)
    os._exit(0)


@mode
def closes_stdin(theta):
    os.close(0)
    answer(theta)
    time.sleep(0.05)
    os._exit(0)


@mode
def loud_errors(theta):
    os.write(2, b"x" * (1 << 20) + b"\nthe end")
    answer(theta)


@mode
def moody(theta):
    """Dies where a is negative, is late where b is negative."""
    if theta["a"] < 0:
        sys.exit(9)
    if theta["b"] < 0:
        hang()
    answer(theta)


@mode
def counts_then_dies(theta):
    """Keeps an account of what it was asked; dies where a is negative."""
    with open("asked", "a") as account:
        account.write(f"{theta['a']}\n")
    if theta["a"] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    answer(theta)


@mode
def open_files(theta):
    say(f"{len(os.listdir('/proc/self/fd')) - 1}\n")


def main():
    wanted = sys.argv[1]
    if wanted == "just_hang":
        hang()
    if wanted == "dies_at_start":
        os.close(0)
        sys.stderr.write("missing library\n")
        sys.exit(4)
    while line := sys.stdin.readline():
        MODES[wanted](json.loads(line))


main()
