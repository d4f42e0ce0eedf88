"""Trials with a client and an agent of Windows, under Wine: folders, environment and processes as they are there.

The client is given with its runner, `--client "wine …/siderail.exe"`; WINEPREFIX names Wine's folder, such as the
`target/wine/prefix` that `cargo xtask windows-test` makes.
"""

import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

from fleet import Trouble, fill
from trial import Trial, processes

# What Wine starts for itself beside the first program.
SERVICES = re.compile(
    r"\\(services|winedevice|plugplay|svchost|explorer|rpcss|winemenubuilder|wineboot)\.exe|wineserver"
)


def of_wine(path):
    """A path as programs of Windows see it."""
    return "Z:" + str(path).replace("/", "\\")


class WineTrial(Trial):
    """A scenario with an agent of Windows; the places have names in both spellings, `cwd` and `win_cwd`."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        for name in ("cwd", "home", "tmp", "outside", "npm"):
            self.places["win_" + name] = of_wine(self.places[name])
        (self.project / "slow.cmd").write_text("@ping -n 47 127.0.0.1\r\n")

    def scripted(self, step):
        """The scripts of the project have other names there."""
        renamed = json.dumps(step).replace("./slow.sh", "slow.cmd")
        return super().scripted(json.loads(renamed))

    def values(self, call):
        values = super().values(call)
        return {**values, "win_abs": of_wine(values["abs"])}

    def command(self):
        """The client's command line, and an environment with the run's mark, which all of Wine's processes inherit."""
        command, base = super().command()
        at = command.index("--agent-command") + 1
        words = shlex.split(command[at])
        log = self.base / "acp.jsonl"
        first = words.index(str(log)) + 1 if str(log) in words else 0
        words[first:] = [of_wine(word) if word.startswith("/") else word for word in words[first:]]
        if first:
            words[:first] = [self.tap(), of_wine(log)]
        command[at] = shlex.join(words)
        at = command.index("--project") + 1
        command[at] = of_wine(self.project)
        return command, {**base, "RIG_RUN": self.id, "WINEDEBUG": "-all", "DISPLAY": ""}

    def tap(self):
        """The recorder of the client's own build."""
        client = next((word for word in shlex.split(self.client) if word.endswith(".exe")), "")
        tap = Path(client).resolve().parent / "examples" / "tap.exe"
        if not client or not tap.is_file():
            target = "x86_64-pc-windows-gnu"
            raise Trouble(f"{tap} is missing: cargo build -p siderail-testkit --examples --target {target}")
        return of_wine(tap)

    def agent_environment(self, path):
        """Windows' own names for home and temporary folder."""
        places, home = self.places, self.places["win_home"]
        return {
            "HOME": home,
            "USERPROFILE": home,
            "APPDATA": home + r"\AppData\Roaming",
            "LOCALAPPDATA": home + r"\AppData\Local",
            "TEMP": places["win_tmp"],
            "TMP": places["win_tmp"],
            **fill(self.agent.get("env", {}), places),
        }

    def interrupt(self):
        """Ctrl-C at the client; the others are its children's matter."""
        os.kill(self.process.pid, signal.SIGINT)

    def living(self):
        return {p: c for p, c in processes(self.id).items() if not SERVICES.search(c)}


def begin():
    """Starts Wine once, so that its services carry no run's mark."""
    done = subprocess.run(["wine", "cmd", "/c", "exit"], capture_output=True, timeout=120)
    if done.returncode:
        raise Trouble("wine does not start; WINEPREFIX names its folder")
