"""A simulator that takes its time: a line of parameters in, a log-likelihood out."""
import json
import sys
import time

for line in sys.stdin:
    theta = json.loads(line)
    time.sleep(float(sys.argv[1]))
    print(-0.5 * sum(value * value for value in theta.values()), flush=True)
