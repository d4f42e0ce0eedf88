#!/usr/bin/env python3
"""A recorder between client and agent: bytes pass unchanged, each line is written down.

  tap.py LOG COMMAND ARGS…

Each line of LOG: {"ts": seconds, "dir": "client" | "agent" | "note", "msg": JSON or raw text}.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

CHUNK = 65536


class Log:
    """Lines of both directions in the order in which they passed."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf8")
        self.lock = threading.Lock()

    def write(self, direction, message):
        line = {"ts": round(time.time(), 3), "dir": direction, "msg": message}
        with self.lock:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def line(self, direction, line):
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except ValueError:
            message = line.decode("utf8", "replace")
        self.write(direction, message)


def pump(log, direction, source, sink):
    """Copies until the source ends or nobody takes what comes; then closes the sink."""
    rest = b""
    while data := read(source):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            log.line(direction, line)
        try:
            while data:
                data = data[os.write(sink, data) :]
        except OSError:
            break
    log.line(direction, rest)
    try:
        os.close(sink)
    except OSError:
        pass


def read(source):
    try:
        return os.read(source, CHUNK)
    except OSError:
        return b""


def main():
    log, command = Log(sys.argv[1]), sys.argv[2:]
    log.write("note", {"command": command})
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: child.send_signal(number))
    stdin = os.dup(child.stdin.fileno())
    threading.Thread(target=pump, args=(log, "client", 0, stdin), daemon=True).start()
    child.stdin.close()
    out = threading.Thread(target=pump, args=(log, "agent", child.stdout.fileno(), 1), daemon=True)
    out.start()
    code = child.wait()
    out.join(1)
    log.write("note", {"exit": code})
    # The thread that reads our own input may block for ever.
    os._exit(code if code >= 0 else 128 - code)


main()
