#!/usr/bin/env python3
"""A UM-Bridge server that misbehaves on purpose: how real ones fail, one mode each.

Usage: fake_umbridge.py [--mode MODE] [--on ENDPOINT] [--delay SECONDS]
Prints its port, serves until its standard input ends. The mode holds for one endpoint (Evaluate unless told);
all others behave. GET /Count tells how often each endpoint was asked, GET /Last the last Evaluate question.
"""
import argparse
import gzip
import json
import os
import socket
import struct
import sys
import threading
import time

# name: (input sizes, output sizes, function (inputs, config) -> outputs, jacobian[out][in] (inputs) -> rows)
MODELS = {
    "posterior": ([2], [1], lambda v, c: [[-0.5 * (v[0][0] ** 2 + 2 * v[0][1] ** 2) + c.get("shift", 0)]],
                  [[lambda v: [[-v[0][0], -2 * v[0][1]]]]]),
    "several": ([2], [3, 1], lambda v, c: [[v[0][0] + v[0][1], v[0][0] * v[0][1], v[0][0] - v[0][1] ** 2], [7]],
                [[lambda v: [[1, 1], [v[0][1], v[0][0]], [1, -2 * v[0][1]]]]]),
    "blocks": ([1, 2], [1], lambda v, c: [[v[0][0] + 2 * v[1][0] * v[1][1]]],
               [[lambda v: [[1]], lambda v: [[2 * v[1][1], 2 * v[1][0]]]]]),
    "forward": ([2], [3], lambda v, c: [[v[0][0] + v[0][1], v[0][0] * v[0][1], v[0][0] ** 2]],
                [[lambda v: [[1, 1], [v[0][1], v[0][0]], [2 * v[0][0], 0]]]]),
    "valueonly": ([2], [1], lambda v, c: [[v[0][0] + v[0][1]]], None),
}


class Server:
    def __init__(self, mode, endpoint, delay):
        self.mode, self.endpoint, self.delay = mode, endpoint, delay
        self.lock = threading.Lock()
        self.count, self.last, self.now, self.most = {}, {}, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def answer(self, endpoint, question):
        if endpoint == "Info":
            return {"protocolVersion": 1.0, "models": list(MODELS)}
        if endpoint == "Count":
            return dict(self.count, most_at_once=self.most)
        if endpoint == "Last":
            return self.last
        inputs, outputs, function, jacobian = MODELS[question["name"]]
        if endpoint == "ModelInfo":
            return {"support": {"Evaluate": True, **({"Gradient": True} if jacobian else {})}}
        if endpoint == "InputSizes":
            return {"inputSizes": inputs}
        if endpoint == "OutputSizes":
            return {"outputSizes": outputs}
        v = question["input"]
        if endpoint == "Evaluate":
            self.last = question
            return {"output": function(v, question.get("config", {}))}
        rows = jacobian[question["outWrt"]][question["inWrt"]](v)
        return {"output": [sum(s * r[i] for s, r in zip(question["sens"], rows)) for i in range(len(rows[0]))]}

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection):
        with connection:
            try:
                self.exchange(connection)
            except (ConnectionError, BrokenPipeError):
                pass

    def exchange(self, connection):
        endpoint, question = read_request(connection)
        with self.lock:
            self.count[endpoint] = self.count.get(endpoint, 0) + 1
            self.now += 1
            self.most = max(self.most, self.now)
        if endpoint in ("Evaluate", "Gradient"):
            time.sleep(self.delay)
        text = json.dumps(self.answer(endpoint, question)).encode()
        with self.lock:
            self.now -= 1
        if self.mode == "leave" and endpoint == "OutputSizes":
            # Only shutdown ends the accept that another thread is in.
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        if endpoint == self.endpoint and self.mode in MODES:
            MODES[self.mode](connection, text)
        else:
            connection.sendall(http(200, text, {"Content-Type": "text/plain; charset=utf-8"}))


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += connection.recv(65536)
    return head.split()[1].decode().rsplit("/", 1)[-1], json.loads(body) if body else {}


def http(status, body, headers=None, reason="Some Words"):
    fields = {"Content-Length": len(body), **(headers or {})}
    head = f"HTTP/1.1 {status} {reason}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items() if v is not None)
    return head.encode() + b"\r\n" + body


def says(*parts):
    return lambda connection, text: [connection.sendall(part) for part in parts]


def page(status):
    body = b"<html><body><h1>Bad Gateway</h1></body></html>"
    return says(http(status, body, {"Content-Type": "text/html"}))


def output(number):
    return says(http(200, b'{"output": [[' + number + b']]}'))


def hang(connection, text):
    time.sleep(3600)


def hang_after_head(connection, text):
    connection.sendall(http(200, text)[:-len(text)])
    time.sleep(3600)


def hang_in_body(connection, text):
    connection.sendall(http(200, text)[:-3])
    time.sleep(3600)


def drip(connection, text):
    for byte in http(200, text):
        connection.sendall(bytes([byte]))
        time.sleep(1)


def endless(beginning, piece):
    def run(connection, text):
        connection.sendall(beginning)
        while True:
            connection.sendall(piece)
    return run


def reset(connection, text):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def die(connection, text):
    os._exit(3)


def chunked(*chunks):
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(
        b"%x;note=1\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)


def bomb(headers):
    return lambda connection, text: connection.sendall(http(200, gzip.compress(b" " * (64 << 20), 1), headers))


ERROR = b'{"error": {"type": "%s", "message": "the \\"point\\"\\nis odd"}}'
MODES = {
    # Answers that are fine, in forms that are allowed.
    "chunked": lambda c, t: c.sendall(chunked(t[:5], t[5:]) + b"0\r\nTrailer: x\r\n\r\n"),
    "until_close": lambda c, t: c.sendall(http(200, t, {"Content-Length": None})),
    "continue_first": lambda c, t: c.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" + http(200, t)),
    "bare_newlines": lambda c, t: c.sendall(http(200, t).replace(b"\r\n", b"\n")),
    # Numbers that are none.
    "nan": output(b"nan"), "NaN": output(b"NaN"), "null": output(b"null"), "inf": output(b"inf"),
    "Infinity": output(b"Infinity"), "overflow": output(b"1e999"),
    "minus_inf": output(b"-inf"), "minus_Infinity": output(b"-Infinity"), "minus_overflow": output(b"-1.5e999"),
    # Failures that the server tells.
    "exception_text": says(http(500, b"Traceback:\n  line 3\nValueError: negative\x1b[31m mass\xff")),
    "exception_header": says(http(500, b"", {"EXCEPTION_WHAT": "matrix is singular"})),
    "invalid_input": says(http(400, ERROR % b"InvalidInput")),
    "invalid_output": says(http(500, ERROR % b"InvalidOutput")),
    "error_with_200": says(http(200, ERROR % b"InvalidInput")),
    "not_found": page(404), "page_502": page(502), "page_503": page(503), "page_504": page(504),
    "too_many": says(http(429, b"slow down")), "no_content": says(b"HTTP/1.1 204 None\r\n\r\n"),
    "redirect": lambda c, t: c.sendall(http(302, b"", {"Location": "/Evaluate"})),
    # Servers that die or hang.
    "die": die, "reset": reset, "close": lambda c, t: None,
    "half_head": says(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "half_body": lambda c, t: c.sendall(http(200, t)[:-3]),
    "half_chunk": lambda c, t: c.sendall(chunked(t)[:-6]),
    "no_last_chunk": lambda c, t: c.sendall(chunked(t)),
    "hang": hang, "hang_after_head": hang_after_head, "hang_in_body": hang_in_body, "drip": drip,
    # Too much.
    "endless_chunks": endless(chunked(), b"8000\r\n" + b" " * 0x8000 + b"\r\n"),
    "endless_tiny_chunks": endless(chunked(), b"1\r\n \r\n" * 4096),
    "endless_body": endless(http(200, b"", {"Content-Length": None}), b" " * 65536),
    "endless_head": endless(b"HTTP/1.1 200 OK\r\n", b"X-More: yes\r\n" * 512),
    "endless_line": endless(b"HTTP/1.1 200 ", b"O" * 65536),
    "endless_continue": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 512),
    "huge_length": says(http(200, b" ", {"Content-Length": 10 ** 15})),
    "gzip_bomb": bomb({"Content-Encoding": "gzip"}),
    "gzip_unannounced": bomb({}),
    "deep_json": says(http(200, b'{"output": ' + b"[" * 500000)),
    "deep_objects": says(http(200, b'{"a":' * 100000)),
    # Rubbish.
    "not_http": says(b"SSH-2.0-OpenSSH_9.2\r\n"), "bad_status": says(b"HTTP/1.1 abc\r\n\r\n"),
    "bad_header": says(b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n{}"),
    "bad_length": says(http(200, b"{}", {"Content-Length": "-2"})),
    "two_lengths": says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "bad_chunk": says(chunked() + b"zz\r\n{}\r\n0\r\n\r\n"), "negative_chunk": says(chunked() + b"-2\r\n{}\r\n"),
    "long_chunk": says(chunked() + b"1\r\n{}\r\n0\r\n\r\n"), "overflow_chunk": says(chunked() + b"F" * 40 + b"\r\n"),
    "odd_transfer": says(http(200, b"{}", {"Transfer-Encoding": "gzip, chunked"})),
    "bad_json": says(http(200, b"{'output': [[1.0]]}")), "cut_json": lambda c, t: c.sendall(http(200, t[:-2])),
    "empty": says(http(200, b"")), "invalid_utf8": says(http(200, b'{"\xff\xfe": 1, "output": [[1]]}')),
    "list": says(http(200, b"[[1.0]]")), "bare_number": says(http(200, b"-1.5")), "no_output": says(http(200, b"{}")),
    "comma": output(b"1,5"), "text_number": output(b'"1.5"'), "hex": output(b"0x10"), "true": output(b"true"),
    "empty_block": output(b""), "nested": output(b"[1.0]"), "flat": says(http(200, b'{"output": [1.0]}')),
    "more_blocks": says(http(200, b'{"output": [[1.0], [2.0]]}')), "no_blocks": says(http(200, b'{"output": []}')),
    "null_gradient": says(http(200, b'{"output": [1.0, null]}')),
    "infinite_gradient": says(http(200, b'{"output": [1.0, -Infinity]}')),
    "old_version": says(http(200, b'{"protocolVersion": 0.9, "models": ["posterior"]}')),
    "web_page": says(http(200, b"<html></html>")),
}


def serve_full():
    """A server too busy to take a connection: its queue is full, so nobody's gets an answer."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = [socket.socket() for _ in range(4)]
    for client in waiting:
        client.setblocking(False)
        client.connect_ex(listener.getsockname())
    return listener, waiting


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="good", choices=["good", "leave", "full", *MODES])
    parser.add_argument("--on", default="Evaluate")
    parser.add_argument("--delay", type=float, default=0)
    options = parser.parse_args()
    if options.mode == "full":
        kept = serve_full()
        listener = kept[0]
    else:
        server = Server(options.mode, options.on, options.delay)
        listener = server.listener
        threading.Thread(target=server.serve, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)


main()
