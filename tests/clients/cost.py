#!/usr/bin/env python3
"""What `siderail acp` costs between a client and an agent: time added to a message, chunks per second, memory.

    cargo build --release -p siderail-cli
    tests/clients/cost.py                      # prints the table of docs/performance.md; Linux

The agent is this file, too: it answers at once, and floods a prompt with as many chunks as its text says. Each figure
is taken once with that agent alone and once with Siderail between, so that what this program itself costs drops out.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIDERAIL = Path(__file__).resolve().parent.parent.parent / "target" / "release" / "siderail"
ROUND_TRIPS = 4000
ROUNDS = 3
CHUNKS = [100_000, 1_000_000]
LINE_BYTES = 267
BATCH = 256


def chunk():
    """A line of `LINE_BYTES` bytes that holds a chunk of a message."""
    content = {"type": "text", "text": ""}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
    missing = LINE_BYTES - 1 - len(json.dumps(message))
    content["text"] = ("lorem ipsum " * 40)[:missing]
    return (json.dumps(message) + "\n").encode()


def agent():
    output = sys.stdout.buffer
    batch = chunk() * BATCH
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = {}
        if message["method"] == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}
        elif message["method"] == "session/new":
            result = {"sessionId": "s"}
        elif message["method"] == "session/prompt":
            for _ in range(int(message["params"]["prompt"][0]["text"]) // BATCH):
                output.write(batch)
            result = {"stopReason": "end_turn"}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        output.write(json.dumps(answer).encode() + b"\n")
        output.flush()


class Connection:
    def __init__(self, command, folder):
        env = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=folder, env=env, bufsize=1 << 20, **pipes)
        self.sent = 0
        self.ask("initialize", protocolVersion=1, clientCapabilities={})
        self.ask("session/new", cwd=folder, mcpServers=[])

    def ask(self, method, **params):
        """-> lines that came before the answer."""
        self.sent += 1
        request = {"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        n_lines = 0
        for line in self.process.stdout:
            if b'"method"' in line[:60] or b"session/update" in line[:60]:
                n_lines += 1
                continue
            message = json.loads(line)
            if message.get("id") == self.sent:
                return n_lines
        raise SystemExit(f"{method}: no answer")

    def round_trips(self):
        """-> microseconds of each."""
        took = []
        for _ in range(ROUND_TRIPS):
            begun = time.perf_counter()
            self.ask("_cost/echo", sessionId="s")
            took.append((time.perf_counter() - begun) * 1e6)
        return took

    def flood(self, n_chunks):
        """-> chunks, seconds, seconds of the process' own work, its highest memory in MB."""
        begun, worked = time.perf_counter(), self.processor_time()
        prompt = [{"type": "text", "text": str(n_chunks)}]
        n_lines = self.ask("session/prompt", sessionId="s", prompt=prompt)
        return n_lines, time.perf_counter() - begun, self.processor_time() - worked, self.memory()

    def processor_time(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


def main():
    alone = [sys.executable, __file__, "agent"]
    words = " ".join(f"'{word}'" for word in alone)
    between = [str(SIDERAIL), "acp", "--agent", "cost", "--agent-command", words]
    with tempfile.TemporaryDirectory() as folder:
        medians = {"alone": [], "between": []}
        for _ in range(ROUNDS):
            for name, command in [("alone", alone), ("between", between)]:
                connection = Connection(command, folder)
                connection.round_trips()
                medians[name].append(statistics.median(connection.round_trips()))
                connection.end()
        alone_us, between_us = (statistics.median(medians[name]) for name in ("alone", "between"))
        print("| round trip of two messages, p50, µs | agent alone | with `siderail acp` | added per message |")
        print("|---|---|---|---|")
        print(f"| | {alone_us:.0f} | {between_us:.0f} | {(between_us - alone_us) / 2:.0f} |")
        print()
        print("| chunks of 267 bytes | reach the client | per second | per second of processor time | memory at most |")
        print("|---|---|---|---|---|")
        for n_chunks in CHUNKS:
            n_chunks -= n_chunks % BATCH
            for name, command in [("agent alone", alone), ("`siderail acp`", between)]:
                connection = Connection(command, folder)
                n_lines, seconds, worked, memory = connection.flood(n_chunks)
                connection.end()
                # What ends within a tick of the clock has no rate.
                rate = f"{n_lines / worked:,.0f}" if worked > 0.05 else "too quick to say"
                counts = f"{n_lines} of {n_chunks} | {n_lines / seconds:,.0f} | {rate}"
                print(f"| {name} | {counts} | {memory:.0f} MB |")


if __name__ == "__main__":
    agent() if sys.argv[1:] == ["agent"] else main()
