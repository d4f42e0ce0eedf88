#!/usr/bin/env python3
"""A client that only does what the protocol asks for: the agent as it is without Siderail.

  rig.py matrix --client "python3 tests/live/bare_client.py"     # what the checks say then

It takes the options of `siderail run` and passes over those that it does not know.  It offers no
tools, hides nothing, sets no mode, and answers permission requests plainly.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import threading

UNKNOWN_METHOD = {"code": -32601, "message": "method not found"}


class Agent:
    """An agent's process, spoken to one request at a time."""

    def __init__(self, options):
        command = shlex.split(options.agent_command)
        env = {**os.environ, **dict(pair.split("=", 1) for pair in options.agent_env)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=options.project, env=env, **pipes)
        self.answer = options.answer
        self.sent = 0
        threading.Timer(options.timeout, self.process.kill).start()

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def ask(self, method, **params):
        """-> the agent's answer; what it asks meanwhile is answered."""
        self.sent += 1
        self.send(id=self.sent, method=method, params=params)
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if "method" not in message and message.get("id") == self.sent:
                if "error" in message:
                    raise SystemExit(f"{method}: {json.dumps(message['error'])[:300]}")
                return message["result"]
            if message.get("method") == "session/request_permission":
                self.decide(message)
            elif "method" in message and "id" in message:
                self.send(id=message["id"], error=UNKNOWN_METHOD)
        raise SystemExit(f"{method}: the agent ended")

    def decide(self, request):
        options = request["params"]["options"]
        wanted = f"{'allow' if self.answer == 'allow' else 'reject'}_once"
        chosen = next((o["optionId"] for o in options if o["kind"] == wanted), None)
        outcome = {"outcome": "selected", "optionId": chosen} if chosen else {}
        self.send(id=request["id"], result={"outcome": outcome or {"outcome": "cancelled"}})

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("command", choices=["run"])
    parser.add_argument("--agent-command", required=True)
    parser.add_argument("--agent-env", action="append", default=[])
    parser.add_argument("--project", default=".")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--answer", default="deny")
    options, rest = parser.parse_known_args()
    agent = Agent(options)
    try:
        offered = agent.ask("initialize", protocolVersion=1, clientCapabilities={})
        methods = [method["id"] for method in offered.get("authMethods") or []]
        if "gemini-api-key" in methods:
            agent.ask("authenticate", methodId="gemini-api-key")
        session = agent.ask("session/new", cwd=options.project, mcpServers=[])["sessionId"]
        prompt = [{"type": "text", "text": rest[-1]}]
        agent.ask("session/prompt", sessionId=session, prompt=prompt)
    finally:
        agent.end()
    # The timer that limits the run would hold us up.
    sys.stdout.flush()
    os._exit(0)


main()
