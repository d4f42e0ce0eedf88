#!/usr/bin/env python3
"""A plain ACP client behind `siderail acp`: it answers deny or allow, and knows nothing of guidance.

  rig.py matrix --client "python3 tests/live/acp_client.py target/debug/siderail"

It takes the options of `siderail run`, hands on those that `siderail acp` has, and prints the events of
`--json-log` as `siderail run --json` does.
"""

import argparse
import base64
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

UNKNOWN_METHOD = {"code": -32601, "message": "method not found"}
CANCELLED = 6
# Seconds that Siderail has to end once its client has closed its end.
END = 20


class Terminals:
    """Commands that the client runs; each is a process group of its own."""

    def __init__(self, answer):
        self.answer = answer
        self.open = {}

    def create(self, params):
        words = [params["command"], *params.get("args", [])]
        env = {**os.environ, **{entry["name"]: entry["value"] for entry in params.get("env", [])}}
        output = tempfile.TemporaryFile()
        pipes = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        process = subprocess.Popen(words, cwd=params["cwd"], env=env, start_new_session=True, **pipes)
        name = f"terminal-{len(self.open) + 1}"
        self.open[name] = (process, output)
        print(json.dumps({"event": "TERMINAL", "command": words[-1]}), flush=True)
        return {"terminalId": name}

    def take(self, request):
        step, params = request["method"].removeprefix("terminal/"), request["params"]
        if step == "create":
            return self.answer(id=request["id"], result=self.create(params))
        process, output = self.open[params["terminalId"]]
        if step == "wait_for_exit":
            waiting = threading.Thread(target=self.wait, args=(request["id"], process), daemon=True)
            return waiting.start()
        if step in ("kill", "release") and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        result = {}
        if step == "output":
            text = os.pread(output.fileno(), 1 << 20, 0).decode(errors="replace")
            status = None if process.poll() is None else self.status(process)
            result = {"output": text, "truncated": False, "exitStatus": status}
        self.answer(id=request["id"], result=result)

    def wait(self, number, process):
        process.wait()
        self.answer(id=number, result=self.status(process))

    @staticmethod
    def status(process):
        code = process.returncode
        if code < 0:
            return {"exitCode": None, "signal": signal.Signals(-code).name}
        return {"exitCode": code, "signal": None}


class Connection:
    """`siderail acp`, spoken to one request at a time."""

    def __init__(self, command, options):
        # The events come by its error output, which is our output.
        command = [*command, "--json-log", "/dev/stderr"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": sys.stdout}
        # An interrupt is for the client, which cancels the turn by the protocol.
        self.process = subprocess.Popen(command, cwd=options.project, start_new_session=True, **pipes)
        self.answer = options.answer
        self.form = options.form
        self.feedback = options.feedback
        self.terminals = Terminals(self.send) if options.terminals else None
        self.sending = threading.Lock()
        self.sent = 0
        self.session = None
        limit = threading.Timer(options.timeout, self.process.kill)
        limit.daemon = True
        limit.start()

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        with self.sending:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()

    def ask(self, method, **params):
        """-> the answer; what is asked meanwhile is answered."""
        self.sent += 1
        self.send(id=self.sent, method=method, params=params)
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message and message.get("id") == self.sent:
                if "error" in message:
                    raise SystemExit(f"{method}: {json.dumps(message['error'])[:300]}")
                return message["result"]
            if message.get("method") == "session/request_permission":
                self.decide(message)
            elif message.get("method") == "elicitation/create" and self.takes_forms():
                self.fill(message)
            elif self.terminals and message.get("method", "").startswith("terminal/"):
                self.terminals.take(message)
            elif "method" in message and "id" in message:
                self.send(id=message["id"], error=UNKNOWN_METHOD)
        raise SystemExit(f"{method}: siderail ended")

    def decide(self, request):
        # Where a person is there (`prompt`), that one allows; of several answers to a question the first is taken.
        wanted = f"{'reject' if self.answer == 'deny' else 'allow'}_once"
        options = request["params"]["options"]
        chosen = next((o["optionId"] for o in options if o["kind"] == wanted), None)
        outcome = {"outcome": "selected", "optionId": chosen} if chosen else {}
        self.send(id=request["id"], result={"outcome": outcome or {"outcome": "cancelled"}})

    def takes_forms(self):
        return self.form is not None

    def fill(self, request):
        """Every text of a form gets the same answer, and of choices the first. The first plan is sent back with what is to
        be different, where that is said."""
        fields = request["params"]["requestedSchema"]["properties"]
        texts = {name: field for name, field in fields.items() if field["type"] == "string"}
        content = {name: field.get("enum", [self.form])[0] for name, field in texts.items()}
        if "decision" in fields:
            content["feedback"] = ""
            if self.feedback:
                content = {"decision": fields["decision"]["enum"][1], "feedback": self.feedback}
                self.feedback = None
        self.send(id=request["id"], result={"action": "accept", "content": content})

    def cancel(self, *_):
        if self.session:
            message = {"jsonrpc": "2.0", "method": "session/cancel"}
            line = json.dumps({**message, "params": {"sessionId": self.session}}) + "\n"
            os.write(self.process.stdin.fileno(), line.encode())

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()


def blocks_of(text, project):
    """A prompt's text, and the images that it names by @."""
    blocks = [{"type": "text", "text": text}]
    for name in (word[1:] for word in text.split() if word.startswith("@")):
        data = base64.b64encode((Path(project) / name).read_bytes()).decode()
        blocks.append({"type": "image", "mimeType": "image/png", "data": data})
    return blocks


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("siderail")
    parser.add_argument("command", choices=["run", "chat"])
    parser.add_argument("--project", default=".")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--answer", default="deny")
    parser.add_argument("--form", help="take forms, and write this into each text")
    parser.add_argument("--feedback", help="with --form: send the first plan back, and say this")
    parser.add_argument("--terminals", action="store_true", help="run commands for the agent")
    options, rest = parser.parse_known_args()
    *handed_on, prompt = rest
    command = [os.path.abspath(options.siderail), "acp", *handed_on, "--project", options.project]
    connection = Connection(command, options)
    signal.signal(signal.SIGINT, connection.cancel)
    try:
        can = {"elicitation": {"form": {}}} if options.form else {}
        can |= {"terminal": True} if options.terminals else {}
        offered = connection.ask("initialize", protocolVersion=1, clientCapabilities=can)
        methods = [method["id"] for method in offered.get("authMethods") or []]
        if "gemini-api-key" in methods:
            connection.ask("authenticate", methodId="gemini-api-key")
        opened = connection.ask("session/new", cwd=options.project, mcpServers=[])
        connection.session = opened["sessionId"]
        # Further prompts of a chat come line by line.
        for text in [prompt, *(sys.stdin if options.command == "chat" else [])]:
            blocks = blocks_of(text, options.project)
            done = connection.ask("session/prompt", sessionId=connection.session, prompt=blocks)
    finally:
        connection.end()
    return CANCELLED if done["stopReason"] == "cancelled" else 0


sys.exit(main())
