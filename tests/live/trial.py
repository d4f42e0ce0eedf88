"""One run: a fresh project and home, the scripted model, the client; all of it ends with it."""

import base64
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

from fleet import HERE, Trouble, fill, places
from person import Person

PROMPT = "Please set x to 2 in src/App.java of this project."
# A red square of 16 by 16, as the model is shown it.
IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQV"
    "R42mM4ISdHEmIY1TCqYfhqAADkYgQQ6ZuA8QAAAABJRU5ErkJggg=="
)
NEXT_PROMPT = "Please go on.\n"
# No account, key or setting of the developer's own may reach an agent.
PRIVATE = re.compile(
    r"^(ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE|COPILOT|GITHUB_TOKEN|GH_TOKEN|QWEN|MISTRAL|VIBE"
    r"|LLM_|OPENCODE|OPENHANDS|GENERIC_|IS_SANDBOX)"
)
LOOPBACK = "127.0.0.1,localhost"
GRADLEW = """#!/bin/sh
echo "${RIG_RUN:+agent} $*" >> "%s"
echo FAKE_GRADLE_RAN "$@"
"""
PROJECT = {
    "src/App.java": "class App {\n    int x = 1;\n}\n",
    "README.md": "# demo\n",
    "settings.gradle": "rootProject.name = 'demo'\n",
    "build.gradle": "plugins { id 'java' }\nsourceSets { main { java { srcDirs = ['src'] } } }\n",
    "slow.sh": "#!/bin/sh\nsleep 47\n",
}
# Seconds that a client has beyond its own time limit, and after an interrupt.
SPARE = 30
AFTER_INTERRUPT = 20


class Trial:
    """A scenario with one agent. After `go`, the logs lie in `base` and this object knows:

    events       lines of the client that name an event, each with the time `_ts` of its arrival
    code         the client's exit status; None where it hung
    hung         it did not end within its time
    interrupted  when SIGINT was sent, where the scenario does so
    at_start     the project's files before the run: {name: digest}
    at_plan      the same whenever a plan was put before the person
    left         processes of the agent a second after the client's end: {pid: command}
    """

    TICK = 0.05

    def __init__(self, agent, scenario, client, keep=False, client_args=()):
        self.agent, self.scenario, self.client = agent, scenario, client
        self.keep, self.client_args = keep, client_args
        self.id = uuid.uuid4().hex[:12]
        self.base = Path(tempfile.mkdtemp(prefix=f"rig-{agent['name']}-")).resolve()
        self.project, self.home = self.base / "project", self.base / "home"
        folders = {"cwd": self.project, "home": self.home}
        folders |= {"tmp": self.base / "t", "outside": self.base / "outside"}
        for folder in folders.values():
            folder.mkdir()
        self.places = {**places(agent), **folders}
        self.timeout = scenario.get("timeout", 300)
        self.person = Person(scenario["person"]) if "person" in scenario else None
        self.at_plan = []  # the project's files whenever a plan was proposed
        self.at_start = None
        self.model = self.process = self.port = None
        self.steps, self.events, self.left = [], [], {}
        self.started = self.ended = 0.0
        self.code = self.hung = self.interrupted = None

    def go(self):
        """May be called again: the next start of the client, in the same project and home."""
        is_first = not self.started
        if is_first:
            self.lay_out_project()
        self.start_model()
        if is_first:
            self.lay_out_home()
        self.at_start = self.at_start or self.all_files()
        command, env = self.command()
        (self.base / "command.json").write_text(json.dumps(command, indent=1))
        self.started = time.time()
        with open(self.base / "client.err", "wb") as errors:
            person, more = self.person, self.further_prompts()
            self.process = subprocess.Popen(
                command,
                env=env,
                stdin=person.side if person else subprocess.PIPE if more else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=person.side if person else errors,
                start_new_session=True,
            )
        if more:
            self.process.stdin.write(more)
            self.process.stdin.close()
        if person:
            person.begin(self.base / "client.err")
        reader = threading.Thread(target=self.read_events, daemon=True)
        reader.start()
        self.watch()
        self.ended, self.code = time.time(), self.process.poll()
        if not self.hung:
            time.sleep(1.0)
            self.left = self.living()
        self.end_all()
        reader.join(2)
        if self.person:
            self.person.end()

    def lay_out_project(self):
        """A small project under git, and a file outside it that nobody may read unasked."""
        gradlew = {"gradlew": GRADLEW % (self.base / "gradle.log")}
        for name, text in {**PROJECT, **gradlew, **self.scenario.get("files", {})}.items():
            path = self.project / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        if "image" in self.scenario:
            (self.project / self.scenario["image"]).write_bytes(base64.b64decode(IMAGE))
        for script in (self.project / "gradlew", *self.project.glob("*.sh")):
            script.chmod(0o755)
        (self.places["outside"] / "secret.txt").write_text("OUTSIDE_FILE_CONTENT\n")
        for command in (
            ["init", "-q"],
            ["config", "user.name", "a"],
            ["config", "user.email", "a@example.org"],
            ["add", "-A"],
            ["commit", "-qm", "init"],
        ):
            self.git(*command)

    def lay_out_home(self):
        """The agent's own configuration."""
        self.write_files(self.agent.get("files", {}))

    def write_files(self, files):
        for path, text in fill(files, self.places).items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)

    def git(self, *arguments):
        """-> what git prints in the project, without the developer's own configuration."""
        env = {**os.environ, "HOME": str(self.home)}
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=self.project, env=env, capture_output=True, check=True)
        return done.stdout.decode()

    def start_model(self):
        scenario, agent = self.scenario, self.agent
        self.steps = [y for x in scenario["steps"] for y in self.scripted(x)]
        watched = {"src/App.java", *scenario.get("written", {}), *scenario.get("untouched", [])}
        script = {
            "models": [agent.get("model", "fake-model")],
            "main_if": agent.get("main_if", {}),
            "steps": self.steps,
            "watch": {name: str(self.project / name) for name in watched},
            "fallback": scenario.get("always", {"text": "All done."}),
            "aside": scenario.get("always", {"text": "ok"}),
            **{k: agent[k] for k in ("deferred", "code", "ide_arguments", "renamed") if k in agent},
        }
        files = [self.base / name for name in ("script.json", "llm.jsonl", "port")]
        files[0].write_text(json.dumps(script, indent=1))
        files[2].unlink(missing_ok=True)
        options = [*zip(("--script", "--log", "--port-file"), map(str, files))]
        if self.port:
            options.append(("--port", self.port))
        command = [
            sys.executable,
            str(HERE / "scripted_model.py"),
            *(x for y in options for x in y),
        ]
        with open(self.base / "llm.err", "w") as errors:
            self.model = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        deadline = time.time() + 60
        while not files[2].exists():
            if time.time() > deadline or self.model.poll() is not None:
                why = (read(self.base / "llm.err") or "")[-300:]
                raise Trouble("the scripted model did not start: " + why)
            time.sleep(0.02)
        self.port = files[2].read_text()
        self.places["llm"] = "http://127.0.0.1:" + self.port

    def scripted(self, step):
        """A scenario's step -> steps of the script: some agents want a file read before an edit."""
        if "say" in step:
            return [{"what": "say", "text": step["say"]}]
        before, calls = [], []
        for call in step.get("parallel", [] if "present" in step else [step]):
            if "ide" in call:
                want = fill(call.get("want", {}), self.places)
                calls.append({"ide": call["ide"], "want": want})
                continue
            tool = self.agent["calls"].get(call["call"])
            if tool is None:
                raise Trouble(f"{self.agent['name']} has no {call['call']} tool")
            values = self.values(call)
            for first in [] if call.get("again") else tool.get("before", []):
                read_first = self.agent["calls"][first]
                arguments = fill(read_first["arguments"], values)
                only = {"name": read_first["name"], "arguments": arguments}
                before.append({"what": "before", "calls": [only]})
            parts = [key for key in ("name", "arguments", "input") if key in tool]
            calls.append({key: fill(tool[key], values) for key in parts})
        if "present" in step:
            return [{"what": "plan", **part} for part in self.presented(step["present"])]
        what = "ide" if all("ide" in call for call in calls) else "call"
        kept = ("search_first", "if_hidden", "shows", "delay_ms", "text")
        more = {key: step[key] for key in kept if key in step}
        return [*before, {"what": what, "calls": calls, **more}]

    def presented(self, plan):
        """How the agent's model presents a plan: by a tool where it has one, else as its message."""
        way = fill(self.agent.get("present", {}), {"plan": plan, **self.places})
        text = way.get("text", plan)
        if "name" not in way:
            return [{"text": text}]
        calls = [way["before"]] if "before" in way else []
        calls.append({key: way[key] for key in ("name", "arguments")})
        find = {"find": way["find"]} if "find" in way else {}
        steps = [{"calls": [{**call, **find}]} for call in calls]
        return [*steps[:-1], {**steps[-1], "or_text": text}]

    def values(self, call):
        """What the arguments of an agent's tool are filled with."""
        known = {"outside": self.places["outside"], "cwd": self.project}
        call = fill(call, known)
        values = {key: call.get(key, "") for key in ("path", "old", "new", "content", "command")}
        path = values["path"]
        values["abs"] = path if os.path.isabs(path) else str(self.project / path)
        values["content+"] = "".join(f"+{line}\n" for line in values["content"].splitlines())
        return values

    def command(self):
        """The client's command line, and the client's own environment."""
        base = {key: value for key, value in os.environ.items() if not PRIVATE.match(key)}
        for key in ("CONFIG", "DATA", "STATE", "CACHE"):
            base[f"XDG_{key}_HOME"] = str(self.base / "client" / key.lower())
        agent = [str(part) for part in fill(self.agent["start"]["command"], self.places)]
        if not self.scenario.get("no_tap"):
            log = str(self.base / "acp.jsonl")
            agent = [sys.executable, str(HERE / "tap.py"), log, *agent]
        name = self.agent["name"]
        command = [*shlex.split(self.client), "chat" if self.further_prompts() else "run"]
        command += [arg.replace("{agent}", name) for arg in self.client_args]
        command += ["--agent", name, "--agent-command", shlex.join(agent)]
        for key, value in self.agent_environment(base.get("PATH", "")).items():
            command += ["--agent-env", f"{key}={value}"]
        command += ["--project", str(self.project), "--json", "--timeout", str(self.timeout)]
        answer = "prompt" if self.person else self.scenario.get("answer", "deny")
        command += ["--answer", answer, *self.scenario.get("client_args", [])]
        if self.scenario.get("policy"):
            command += ["--policy", self.scenario["policy"]]
        image = self.scenario.get("image")
        return [*command, f"{PROMPT} The picture is @{image}" if image else PROMPT], base

    def further_prompts(self):
        """The prompts behind the first one, as lines for the client's standard input."""
        return (NEXT_PROMPT * (self.scenario.get("prompts", 1) - 1)).encode()

    def agent_environment(self, path):
        """A home of its own, programs of the cache first, loopback past proxies, the run's mark."""
        places, home = self.places, self.home
        programs = [places["nodebin"], places["bin"], places["venv"] / "bin"]
        programs.append(places["deb"] / "usr" / "bin")
        programs = [str(program) for program in programs if program.exists()]
        own = self.scenario.get("env", {}).get(self.agent["name"], {})
        return {
            "HOME": home,
            "TMPDIR": places["tmp"],
            "XDG_CONFIG_HOME": home / ".config",
            "XDG_DATA_HOME": home / ".local" / "share",
            "XDG_STATE_HOME": home / ".local" / "state",
            "XDG_CACHE_HOME": home / ".cache",
            "NO_PROXY": LOOPBACK,
            "no_proxy": LOOPBACK,
            "RIG_RUN": self.id,
            "PATH": ":".join([*programs, path]),
            **fill({**self.agent.get("env", {}), **own}, places),
        }

    def watch(self):
        """Waits for the client's end."""
        start_timeout = self.agent["start"].get("start_timeout", 60)
        limit = self.started + self.timeout + start_timeout + SPARE
        while self.process.poll() is None:
            self.interfere()
            now = time.time()
            late = self.interrupted and now > self.interrupted + AFTER_INTERRUPT
            if now > limit or late:
                self.hung = True
                return
            time.sleep(self.TICK)

    def interfere(self):
        """Called all the time while the client runs."""
        if self.scenario.get("cancel") and not self.interrupted and self.is_time_to_interrupt():
            self.interrupted = time.time()
            self.interrupt()

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)

    def is_time_to_interrupt(self):
        """A second after the shell command was allowed; 5 s after its call, if nothing is asked."""
        now, answers = time.time(), ("PERMISSION_APPROVED", "PERMISSION_DENIED")
        if any(e.get("event") in answers and now - e["_ts"] > 1.0 for e in list(self.events)):
            return True
        steps = (r for r in jsonl(self.base / "llm.jsonl") if r.get("kind") == "step")
        return any(now - step["ts"] > 5.0 for step in steps)

    def read_events(self):
        with open(self.base / "client.out", "wb") as file:
            for line in self.process.stdout:
                file.write(line)
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict) and "event" in event:
                    if event["event"] == "PLAN_PROPOSED":
                        self.at_plan.append(self.all_files())
                    self.events.append({**event, "_ts": time.time()})

    def all_files(self):
        """The project's files with digests of their content; git's own folder is left out."""
        files = {}
        for path in self.project.rglob("*"):
            name = path.relative_to(self.project).as_posix()
            if path.is_file() and not name.startswith(".git/"):
                files[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return files

    def end_all(self):
        """Ends the client, the model, and whatever carries the run's mark."""
        if self.process:
            for number in (signal.SIGTERM, signal.SIGKILL):
                marked, alive = self.living(), self.process.poll() is None
                if alive:
                    attempt(os.killpg, self.process.pid, number)
                for pid in marked:
                    attempt(os.kill, pid, number)
                if marked or alive:
                    time.sleep(0.5)
        if self.model:
            self.model.terminate()
            self.model.wait(5)

    def living(self):
        """Processes of the run."""
        return processes(self.id)

    def drop(self):
        if self.keep:
            files = "llm.jsonl acp.jsonl client.out client.err command.json project/"
            print(f"kept: {self.base} ({files})")
        else:
            shutil.rmtree(self.base, ignore_errors=True)


def attempt(kill, pid, number):
    try:
        kill(pid, number)
    except OSError:
        pass


def processes(run_id):
    """Living processes that carry the run's mark in their environment: {pid: command}. Linux."""
    found, mark = {}, f"RIG_RUN={run_id}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            marked = mark in (folder / "environ").read_bytes().split(b"\0")
            if marked and "\nState:\tZ" not in (folder / "status").read_text():
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(folder.name)] = command.decode(errors="replace")[:120]
        except OSError:
            pass
    return found


def read(path):
    """A file's text; None where it is not there."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None


def jsonl(path):
    """The lines of a log that are JSON; a line being written is left out."""
    lines = []
    for line in (read(path) or "").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass
    return lines
