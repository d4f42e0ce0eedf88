#!/usr/bin/env python3
"""Real ACP clients from public registries drive `siderail acp` with the scripted agent behind it.

    tests/clients/run.py                 # all of them; installs what is missing below target/clients
    tests/clients/run.py acpx -v         # one of them, with all that it shows

Needs npm, Python 3.11 with venv, and `cargo build -p siderail-cli` before it. Exits 0 when every client that can run
here did what it should.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLACE = ROOT / "target" / "clients"
SIDERAIL = ROOT / "target" / "debug" / "siderail"
PYTHON_SDK = "0.12.1"
PATIENCE = 120

# An edit that is denied and done by our tool instead, then a command that a person has to allow.
SCRIPT = """
shape = "copilot"
really = true
[[prompt]]
step = [
  { edit = "a.txt", old = "1", new = "2", expect = "denied", expect_result_contains = "intellij_write_file" },
  { call = "intellij_write_file", arguments = { path = "a.txt", old_text = "1", new_text = "2" } },
  { shell = "touch made-by-shell", %s },
  { say = "All done." },
]
"""
DENIED = "intellij_write_file"


class Failed(Exception):
    """What a client did not do."""


def run(words, cwd, env=None, text="", limit=PATIENCE):
    """What a program puts out, standard error included."""
    try:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            env=env,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired as late:
        raise Failed(f"did not end within {limit} s; it had shown: {late.stdout}") from late
    return done.returncode, done.stdout


def install(words, cwd):
    status, said = run(words, cwd, os.environ, limit=600)
    if status != 0:
        raise Failed(f"`{' '.join(map(str, words))}` failed:\n{said}")


def node_packages():
    """acpx, the TypeScript SDK and a Node that is new enough for both."""
    folder = PLACE / "node"
    wanted = HERE / "package.json"
    marker = folder / "installed.json"
    if not marker.exists() or marker.read_bytes() != wanted.read_bytes():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(wanted, folder / wanted.name)
        quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
        install(["npm", "install", "--ignore-scripts", *quiet], folder)
        shutil.copy(wanted, marker)
    nodes = list((folder / "node_modules").glob("node-linux-*/bin/node"))
    return folder / "node_modules", nodes[0] if nodes else "node"


def python_sdk():
    """The Python SDK's interpreter and its example client, which only the source archive holds."""
    folder = PLACE / f"python-{PYTHON_SDK}"
    example = folder / f"agent_client_protocol-{PYTHON_SDK}" / "examples" / "client.py"
    python = folder / "venv" / "bin" / "python"
    if not example.exists():
        folder.mkdir(parents=True, exist_ok=True)
        install([sys.executable, "-m", "venv", folder / "venv"], folder)
        wanted = f"agent-client-protocol=={PYTHON_SDK}"
        install([python, "-m", "pip", "install", "-q", wanted], folder)
        archive = ["download", "-q", "--no-deps", "--no-binary", ":all:", wanted]
        install([python, "-m", "pip", *archive], folder)
        for packed in folder.glob("*.tar.gz"):
            shutil.unpack_archive(packed, folder, filter="data")
    return python, example


class Scene:
    """A home, a project and the command line of our agent."""

    def __init__(self, name, last_command):
        self.folder = PLACE / "runs" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.project = self.folder / "project"
        self.home = self.folder / "home"
        for folder in [self.project, self.home, self.folder / "bin"]:
            folder.mkdir(parents=True)
        (self.project / "a.txt").write_text("1\n")
        script = self.folder / "script.toml"
        script.write_text(SCRIPT % last_command)
        agent = f"'{SIDERAIL}' scripted-agent --script '{script}'"
        self.words = ["acp", "--agent", "copilot", "--hide", "off", "--agent-command", agent]
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
        }

    def check(self, shown, made, *texts, text="2\n"):
        """The edit is done once, the command ran only where it was allowed, and the person saw these texts."""
        problems = [f"it does not show `{one}`" for one in texts if one not in shown]
        if (self.project / "a.txt").read_text() != text:
            problems.append("the edit was not done by our tool" if text == "2\n" else "the file was changed")
        if (self.project / "made-by-shell").exists() != made:
            problems.append("the command did not run" if made else "the command ran unallowed")
        if "EXPECTATION FAILED" in shown:
            problems.append("the agent was told something else")
        if problems:
            raise Failed("; ".join(problems) + f"\nit showed:\n{shown}")


def acpx(answer, expected, made, last_words):
    modules, node = node_packages()
    scene = Scene(f"acpx{answer}", expected)
    agent = " ".join([str(SIDERAIL), *(f'"{word}"' for word in scene.words)])
    words = [node, modules / "acpx/dist/cli.js", "--agent", agent, answer]
    _, shown = run([*words, "exec", "set it to 2"], scene.project, scene.env)
    scene.check(shown, made, DENIED, "Denied", last_words)
    return shown


def acpx_allows():
    return acpx("--approve-all", 'expect = "allowed"', True, "All done.")


def acpx_denies():
    return acpx("--deny-all", 'expect = "denied"', False, "The user rejected this tool call")


def typescript_sdk():
    modules, node = node_packages()
    scene = Scene("typescript-sdk", 'expect = "allowed"')
    # The example starts its agent by `npx tsx agent.ts`; ours takes its place.
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in [str(SIDERAIL), *scene.words])
    npx = scene.folder / "bin" / "npx"
    npx.write_text(f"#!/bin/sh\nexec {words}\n")
    npx.chmod(0o755)
    scene.env["PATH"] = f"{npx.parent}:{scene.env['PATH']}"
    example = modules / "@agentclientprotocol/sdk/dist/examples/client.js"
    _, shown = run([node, example], scene.project, scene.env, text="1\n")
    # It offers its files, and answers each read with the same made-up text: there is no `1` to be replaced.
    texts = ["Permission requested", "updated: failed", "Read text file called", "completed with: end_turn"]
    scene.check(shown, True, *texts, text="1\n")
    return shown


def python_sdk_client():
    python, example = python_sdk()
    # It has no permission requests: it answers them with an error, which is no yes.
    scene = Scene("python-sdk", 'expect = "denied"')
    words = [python, example, SIDERAIL, *scene.words]
    _, shown = run(words, scene.project, scene.env, text="set it to 2\n")
    scene.check(shown, False, "Operation cancelled by user")
    return shown


CLIENTS = {
    "acpx": acpx_allows,
    "acpx-deny": acpx_denies,
    "typescript-sdk": typescript_sdk,
    "python-sdk": python_sdk_client,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("client", nargs="*", help=f"{', '.join(CLIENTS)}; all of them where none is named")
    parser.add_argument("-v", action="store_true", help="print what each client shows")
    args = parser.parse_args()
    unknown = [name for name in args.client if name not in CLIENTS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
    if not SIDERAIL.exists():
        parser.error("build it first: cargo build -p siderail-cli")
    n_failed = 0
    for name in args.client or CLIENTS:
        try:
            shown = CLIENTS[name]()
        except Failed as why:
            n_failed += 1
            print(f"{name}: FAILED: {why}")
            continue
        print(f"{name}: ok")
        if args.v:
            print(shown)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
