"""Is an agent's configuration in the user's folders, byte for byte, what it was before?

An agent's data lists `user_files`, which a user might have beside the least configuration, and
`writes`, what the agent itself writes in any run (logs, sessions, caches; `--client "python3
bare_client.py"` shows that it does).  `rewrites` are JSON files that the agent writes anew in any
run: what stood there must still stand there, and nothing of ours.  Everything else in the home
folder and in the project must be as it was after each of these:

  run                  a run to its end
  killed               the client is killed (SIGKILL) while the agent waits for its model
  consent              as `run`, with the agent's `consent_args` (--consent …)
  consent, killed      as `killed`, and then the next start of the client

With consent the files must differ while the agent runs, or nothing would be proved.
"""

import fnmatch
import hashlib
import json
import os
import re
import signal
from dataclasses import dataclass

from fleet import fill
from trial import Trial, jsonl, read

# What the scripted model does meanwhile: a call of a built-in tool, then one of an IDE tool.
SCENARIO = {
    "name": "untouched",
    "steps": [
        {"call": "shell", "command": "uname -s", "delay_ms": 1000},
        {"ide": "intellij_read_file", "want": {"path": "src/App.java"}, "delay_ms": 1000},
    ],
    "expect": [],
}
OURS = re.compile("siderail|intellij-code-tools")
# Written by git, and by the rig's own tools.
BY_OTHERS = ["project/.git/*", "home/.gitconfig"]


@dataclass
class Way:
    name: str
    consent: bool
    kill: bool


WAYS = [
    Way("run", False, False),
    Way("killed", False, True),
    Way("consent", True, False),
    Way("consent, killed", True, True),
]


class Visit(Trial):
    """A run in a home that somebody lives in; `before` and `during` are what lay there."""

    def __init__(self, agent, way, client, keep):
        super().__init__(agent, SCENARIO, client, keep, agent["consent_args"] if way.consent else [])
        self.kill, self.killed = way.kill, False
        self.before = self.during = None

    def lay_out_home(self):
        super().lay_out_home()
        self.write_files(self.agent.get("user_files", {}))
        self.before = self.snapshot()

    def interfere(self):
        if self.during or not any(r["kind"] == "step" for r in jsonl(self.base / "llm.jsonl")):
            return
        self.during = self.snapshot()
        if self.kill and not self.killed:
            self.killed = True
            os.kill(self.process.pid, signal.SIGKILL)

    def snapshot(self):
        """{path: what it is}, of all that lies in the home folder and in the project."""
        found = {}
        for top in (self.home, self.project):
            for path in sorted(top.rglob("*")):
                found[str(path.relative_to(self.base))] = described(path)
        return found

    def changes(self, now):
        """Paths that are not as they were, without what the agent itself writes."""
        own = [*(f"home/{pattern}" for pattern in self.agent.get("writes", [])), *BY_OTHERS]
        changed = [p for p in {**self.before, **now} if self.before.get(p) != now.get(p)]
        # A new folder is judged by what lies in it.
        filled = {os.path.dirname(path) for path in now}
        new_folders = {path for path in changed if path in filled and path not in self.before}
        kept = {f"home/{name}" for name in self.agent.get("rewrites", []) if self.is_kept(name)}
        matches = fnmatch.fnmatchcase
        return [
            path
            for path in changed
            if path not in new_folders | kept and not any(matches(path, pattern) for pattern in own)
        ]

    def files_of_the_user(self):
        files = [path for path, what in self.before.items() if not what.startswith("folder")]
        return [path for path in files if not path.startswith("project/.git/")]

    def is_kept(self, name):
        """Is what the user had in a file still there, and nothing of ours?"""
        templates = {**self.agent.get("files", {}), **self.agent.get("user_files", {})}
        was = fill(templates, self.places)[str(self.home / name)]
        text = read(self.home / name) or "null"
        try:
            return holds(json.loads(text), json.loads(was)) and not OURS.search(text)
        except ValueError:
            return False


def holds(now, was):
    """Is all that a JSON value said still said?"""
    if isinstance(was, dict):
        return isinstance(now, dict) and all(holds(now.get(key), was[key]) for key in was)
    return now == was


def described(path):
    if path.is_symlink():
        return f"link to {os.readlink(path)}"
    if path.is_dir():
        return f"folder {path.stat().st_mode:o}"
    if not path.is_file():
        return "other"
    return f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def try_way(agent, way, client, keep=False):
    """-> (holds, what to print)."""
    visit = Visit(agent, way, client, keep)
    try:
        visit.go()
        if way.kill and not visit.killed:
            return False, f"the agent never asked its model: exit {visit.code}"
        if not way.kill and visit.code != 0:
            return False, f"the client's exit status is {visit.code}"
        if way.consent and not visit.changes(visit.during):
            return False, "nothing was changed while the agent ran, so nothing is proved"
        left = visit.left
        if way.consent and way.kill:
            visit.go()
        changed = visit.changes(visit.snapshot())
        if changed:
            return False, f"changed: {', '.join(changed[:40])}"
        if left:
            return False, f"processes are left: {', '.join(left.values())}"
        n_files = len(visit.files_of_the_user())
        return True, f"{n_files} files as they were"
    finally:
        visit.end_all()
        visit.drop()


def try_agent(agent, client, keep=False):
    """All ways that apply to an agent; -> True when nothing was touched."""
    holds = True
    for way in WAYS:
        if way.consent and not agent.get("consent_args"):
            continue
        good, text = try_way(agent, way, client, keep)
        holds &= good
        print(f"{agent['name']:<11} {way.name:<16} {'ok  ' if good else 'FAIL'} {text}", flush=True)
    return holds
