"""What becomes of an agent whose hook asks a client that is frozen, or that is killed meanwhile?

  frozen   The client is stopped (SIGSTOP) before the model calls a tool. The hook must give up with
           "no decision" in time, and the agent must ask for permission as it would without a hook.
           Then the client goes on (SIGCONT), and the run must end as ever.
  killed   The client is stopped, a hook of ours waits for its answer, and the client is killed
           (SIGKILL). The hook must end in time with the agent's "no decision" and success, and so
           must one that is started only then; nothing of the agent is left.

An agent's `no_decision` is what its hook prints so that the agent goes on by itself; agents without
it have no hook that is asked before the permission request.
"""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from trial import Trial, jsonl, processes

# Seconds that a hook may take, and that an agent may take beside it to ask for permission.
HOOK_LIMIT = 2.0
SPARE = 1.5
# Seconds that an agent may take to come from the model's answer to its hook.
PATIENCE = 30
# Seconds until nothing of the agent may be left after the client's death.
CLEAN_UP = 5.0
# The model's answer is held back, and the client is stopped just before the agent has it: not
# earlier, as what an agent has to say at the start is more than fits into a pipe.
DELAY_MS = 3000
STOP_BEFORE = 0.5
SCENARIO = {
    "name": "engine_gone",
    "steps": [{"call": "shell", "command": "./slow.sh", "delay_ms": DELAY_MS}],
    "expect": [],
}
WAYS = ("frozen", "killed")


class Stopped(Trial):
    """A run whose client is stopped once the model has decided to call a tool."""

    TICK = 0.01

    def __init__(self, agent, way, client, keep):
        super().__init__(agent, SCENARIO, client, keep, ["--hide", "off"])
        self.way = way
        self.called = self.question = self.resumed = self.killed = None
        self.hooks = {}  # pid of a hook of the agent -> [first seen, last seen]
        self.own = []  # how the hooks that we started ended: (seconds, exit status, output)
        self.left_after = None

    def interfere(self):
        if self.called is None:
            steps = [r for r in jsonl(self.base / "llm.jsonl") if r["kind"] == "step"]
            if steps and time.time() > steps[0]["ts"] + DELAY_MS / 1000 - STOP_BEFORE:
                os.kill(self.process.pid, signal.SIGSTOP)
                self.called = steps[0]["ts"] + DELAY_MS / 1000
            return
        if self.resumed or self.killed or time.time() < self.called:
            return
        self.look_for_hooks()
        self.look_for_question()
        if self.way == "killed" and self.hooks:
            self.kill_under_a_hook()
        if self.question or time.time() > self.called + PATIENCE:
            self.resumed = time.time()
            os.kill(self.process.pid, signal.SIGCONT)

    def look_for_hooks(self):
        now = time.time()
        for pid, command in processes(self.id).items():
            before, _, _ = command.partition(" hook ")
            is_shell = before.split()[0].endswith("sh")
            if before != command and before.endswith("relay") and not is_shell:
                self.hooks.setdefault(pid, [now, now])[1] = now

    def look_for_question(self):
        for line in jsonl(self.base / "acp.jsonl"):
            message = line["msg"]
            asks = isinstance(message, dict) and message.get("method")
            if line["dir"] == "agent" and asks == "session/request_permission":
                self.question = line["ts"]

    def kill_under_a_hook(self):
        """Starts the hook command ourselves, out of the reach of what ends with the client."""
        folder = Path("/proc") / str(next(iter(self.hooks)))
        try:
            command = folder.joinpath("cmdline").read_bytes().split(b"\0")[:-1]
            pairs = folder.joinpath("environ").read_bytes().split(b"\0")
        except OSError:
            return
        env = dict(pair.split(b"=", 1) for pair in pairs if b"=" in pair)
        env.pop(b"RIG_RUN", None)
        waiting = threading.Thread(target=self.hook, args=(command, env))
        waiting.start()
        time.sleep(0.5)
        self.killed = time.time()
        os.kill(self.process.pid, signal.SIGKILL)
        waiting.join()
        self.hook(command, env)
        while time.time() < self.killed + CLEAN_UP and processes(self.id):
            time.sleep(0.1)
        self.left_after = processes(self.id), time.time() - self.killed

    def hook(self, command, env):
        payload = b'{"tool_name":"x","toolName":"x","tool_input":{},"toolArgs":"{}"}'
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started = time.time()
        process = subprocess.Popen(command, env=env, **pipes)
        out, _ = process.communicate(payload, timeout=30)
        self.own.append((time.time() - started, process.returncode, out.decode().strip()))

    def verdict(self):
        """-> (holds, what to print)."""
        if not self.hooks:
            return False, f"no hook was seen; exit {self.code}"
        return self.judge_frozen() if self.way == "frozen" else self.judge_killed()

    def judge_frozen(self):
        longest = max(last - first for first, last in self.hooks.values())
        text = f"{len(self.hooks)} hooks, longest {longest:.2f} s"
        if longest > HOOK_LIMIT:
            return False, text
        if not self.question:
            return False, f"{text}; no permission request while the client was frozen"
        asked = self.question - min(first for first, _ in self.hooks.values())
        text += f"; permission request {asked:.2f} s after its start; then exit {self.code}"
        return asked <= HOOK_LIMIT + SPARE and self.code == 0 and not self.left, text

    def judge_killed(self):
        if not self.own:
            return False, "no hook could be started"
        seconds = ", ".join(f"{taken:.2f} s" for taken, _, _ in self.own)
        left, after = self.left_after
        text = f"hooks ended after {seconds}; nothing left {after:.1f} s after the client"
        for taken, code, out in self.own:
            if taken > HOOK_LIMIT or code != 0 or out != self.agent["no_decision"]:
                return False, f"hook: {taken:.2f} s, exit {code}, printed {out[:80]!r}"
        return not left, f"left: {', '.join(left.values())[:160]}" if left else text


def try_agent(agent, client, keep=False):
    """Both ways; -> True when the agent goes on."""
    holds = True
    for way in WAYS if "no_decision" in agent else ():
        run = Stopped(agent, way, client, keep)
        try:
            run.go()
            good, text = run.verdict()
        finally:
            run.end_all()
            run.drop()
        holds &= good
        print(f"{agent['name']:<11} {way:<16} {'ok  ' if good else 'FAIL'} {text}", flush=True)
    return holds
