"""A simulator that keeps its own account: each evaluation is in the ledger before its answer leaves the process.

HUNCH_LEDGER names the ledger. Arguments: "value" or "gradient", and the longest delay in milliseconds. HUNCH_DAWDLE
may name a file: while it exists, each evaluation takes as many seconds more as it says, and its beginning is a line in
the file of that name with ".begun" at its end.
"""

import json
import os
import random
import sys
import time


def log_likelihood(x, y):
    return -0.5 * (x * x + (y - 0.5 * x * x) ** 2)


def gradient(x, y):
    bend = y - 0.5 * x * x
    return [-x + bend * x, -bend]


def dawdle():
    file = os.environ.get("HUNCH_DAWDLE", "")
    if os.path.exists(file):
        with open(file) as text:
            seconds = float(text.read())
        with open(file + ".begun", "a") as begun:
            begun.write("begun\n")
        time.sleep(seconds)


def main():
    answers, longest_delay = sys.argv[1], float(sys.argv[2]) / 1000
    ledger = os.open(os.environ["HUNCH_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for line in sys.stdin:
        point = json.loads(line)
        x, y = point["x"], point["y"]
        time.sleep(random.uniform(0, longest_delay))
        dawdle()
        # One write of one line: several workers share the file.
        os.write(ledger, f"{x.hex()} {y.hex()}\n".encode())
        value = log_likelihood(x, y)
        if answers == "gradient":
            print(json.dumps({"log_likelihood": value, "gradient": gradient(x, y)}), flush=True)
        else:
            print(repr(value), flush=True)


main()
