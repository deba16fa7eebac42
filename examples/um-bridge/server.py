"""A UM-Bridge server of one model, "forward": the temperature of a cooling cup, every two minutes.

Usage: server.py [PORT]     (4242; 0: any free one). Prints its address, serves until it is stopped.
Inputs: start (degrees) and rate (per minute). Newton's law: T(t) = room + (start - room) exp(-rate t).
"""
import json
import math
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROOM = 20.0
MINUTES = range(2, 22, 2)


def temperatures(start, rate):
    return [ROOM + (start - ROOM) * math.exp(-rate * t) for t in MINUTES]


def gradient(start, rate, sensitivity):
    """The derivatives of the temperatures by start and by rate, each summed with the weights `sensitivity`."""
    by_start = [math.exp(-rate * t) for t in MINUTES]
    by_rate = [-t * (start - ROOM) * math.exp(-rate * t) for t in MINUTES]
    return [sum(s * d for s, d in zip(sensitivity, by)) for by in (by_start, by_rate)]


ANSWERS = {
    "/Info": lambda _: {"protocolVersion": 1.0, "models": ["forward"]},
    "/ModelInfo": lambda _: {"support": {"Evaluate": True, "Gradient": True}},
    "/InputSizes": lambda _: {"inputSizes": [2]},
    "/OutputSizes": lambda _: {"outputSizes": [len(MINUTES)]},
    "/Evaluate": lambda asked: {"output": [temperatures(*asked["input"][0])]},
    "/Gradient": lambda asked: {"output": gradient(*asked["input"][0], asked["sens"])},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # the connection stays open from one evaluation to the next
    wbufsize = 1 << 16  # head and body leave together: sent apart, they would wait for each other

    def answer(self):
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, reply = 404, {"error": {"type": "NotFound", "message": self.path}}
        if self.path in ANSWERS:
            try:
                status, reply = 200, ANSWERS[self.path](json.loads(asked or "{}"))
            except (ValueError, KeyError, TypeError, ArithmeticError) as error:
                status, reply = 400, {"error": {"type": "InvalidInput", "message": str(error)}}
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 4242), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
