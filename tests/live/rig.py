#!/usr/bin/env python3
"""Runs a client against real ACP agents whose model is scripted, and says what the model was shown.

  rig.py list
  rig.py install AGENT…|all
  rig.py run AGENT SCENARIO [--client "CMD …"] [--client-arg=ARG]… [--expect-turn] [--keep] [-v]
  rig.py matrix [--agents A,B] [--scenarios S,T] [--client "CMD …"] [--client-arg=ARG]…
                [--expect-turn] [--jobs N] [--out FILE] [--detail] [--threshold 1.0]
  rig.py measure PAGE [--client "CMD …"] [--jobs N]        # both matrices, into a page's tables
  rig.py untouched AGENT…|all [--client "CMD …"] [--keep]  # the user's files stay as they were
  rig.py engine-gone AGENT…|all [--client "CMD …"]         # a client that is frozen or killed

--client-arg is put behind `run`, e.g. --client-arg=--hide --client-arg=off; {agent} in it is the
agent's name.  --expect-turn: guidance counts only in the same turn, for every agent.

Python 3.11, standard library only; Linux.  See README.md.
"""

import argparse
import concurrent.futures
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
from engine_gone import try_agent as engine_gone  # noqa: E402
from fleet import Trouble, install, installed, load  # noqa: E402
from tables import Matrix, write_file, write_page  # noqa: E402
from trial import Trial  # noqa: E402
from untouched import try_agent as untouched  # noqa: E402
from verdict import Verdict, judge  # noqa: E402
from wine import WineTrial, begin  # noqa: E402

HIDING_OFF = "Hiding off: the agent's own tools are offered, and its model is guided"
HIDING_ON = "Hiding on, the default: they are not offered where the agent allows that"
SPECIAL = {"untouched": untouched, "engine-gone": engine_gone}
DEFAULT_CLIENT = "cargo run -q -p siderail-cli --"


@dataclass
class Settings:
    """How every run of this call is done."""

    client: str
    client_args: list
    expect_turn: bool = False
    keep: bool = False
    verbose: bool = False


def applies(agent, scenario):
    if scenario.get("needs") and not agent.get(scenario["needs"]):
        return False
    return agent["name"] not in scenario.get("not_for", [])


def try_out(agent, scenario, settings):
    """One run -> its Verdict."""
    if not applies(agent, scenario):
        return Verdict("n/a", [], ["not applicable"])
    if not installed(agent):
        name = agent["name"]
        return Verdict("missing", [], [f"{name} is not installed: rig.py install {name}"])
    if settings.expect_turn:
        agent = {**agent, "guidance_by": "turn"}
    if agent.get("wine"):
        begin()
    kind = WineTrial if agent.get("wine") else Trial
    trial = kind(agent, scenario, settings.client, settings.keep, settings.client_args)
    try:
        trial.go()
        return judge(trial, settings.verbose)
    except (Trouble, OSError) as e:
        trial.end_all()
        return Verdict("FAIL", ["rig"], [f"rig: {e}"])
    except BaseException:
        trial.end_all()
        raise
    finally:
        trial.drop()


def run(agent, scenario, settings):
    build(settings.client)
    verdict = try_out(agent, scenario, settings)
    print("\n".join(verdict.lines))
    words = [verdict.status, *verdict.failed]
    print(f"{agent['name']} {scenario['name']}: {' '.join(words)}")
    return 0 if verdict.status in ("ok", "n/a") else 1


def run_all(agents, scenarios, settings, jobs):
    """Every agent with every scenario -> Matrix."""
    cells = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(try_out, agent, scenario, settings): (agent["name"], scenario["name"])
            for agent in agents
            for scenario in scenarios
        }
        for future in concurrent.futures.as_completed(futures):
            agent, scenario = futures[future]
            cells[agent, scenario] = cell = future.result()
            words = f"{agent:<11} {scenario:<18} {cell.status:<7} {' '.join(cell.failed)}"
            print(words, file=sys.stderr, flush=True)
    return Matrix(agents, scenarios, {key: cells[key] for key in futures.values()})


def matrix(agents, scenarios, settings, options):
    build(settings.client)
    started = time.time()
    done = run_all(agents, scenarios, settings, options.jobs)
    if options.out:
        write_file(options.out, done, options.detail)
    seconds = time.time() - started
    print(f"{done.table()}\n{done.in_turn()}\n{done.figure()} ({seconds:.0f} s)")
    _, counted, share = done.share()
    return 0 if counted and share >= options.threshold else 1


def measure(agents, scenarios, options):
    """Both matrices, into a page of the documentation."""
    build(options.client)
    hiding_off = Settings(options.client, ["--hide", "off"], expect_turn=True)
    ways = {HIDING_OFF: hiding_off, HIDING_ON: Settings(options.client, [])}
    measured = [
        (heading, run_all(agents, scenarios, settings, options.jobs))
        for heading, settings in ways.items()
    ]
    command = shlex.join(["tests/live/rig.py", *sys.argv[1:]])
    write_page(options.page, command, measured)
    for heading, done in measured:
        print(f"{heading}: {done.in_turn()}; {done.figure()}")
    return 0


def build(client):
    """A client started by cargo is built first: building takes nothing from a run's time."""
    command = shlex.split(client)
    if command[:2] != ["cargo", "run"]:
        return
    end = command.index("--") if "--" in command else None
    command = ["cargo", "build", *command[2:end]]
    if subprocess.run(command).returncode:
        raise Trouble(f"{shlex.join(command)} failed")


def pick(names, known, what):
    """The named ones of what there is; all where none is named."""
    if names in (["all"], None):
        return list(known.values())
    wrong = [name for name in names if name not in known]
    if wrong:
        there_are = f"there are: {', '.join(known)}"
        raise Trouble(f"no such {what}: {', '.join(wrong)} ({there_are})")
    return [known[name] for name in names]


def show(agents, scenarios):
    for name, agent in agents.items():
        packages = ", ".join(installed(agent) or ["not installed"])
        print(f"{name:<11} {agent['title']:<46} {packages}")
    for name, scenario in scenarios.items():
        print(f"{name:<18} {scenario['about']}")
    return 0


def install_all(agents):
    failed = 0
    for agent in agents:
        try:
            print(install(agent), flush=True)
        except (Trouble, subprocess.TimeoutExpired) as e:
            failed = 1
            print(f"{agent['name']:<11} NOT installed: {e}", flush=True)
    return failed


def special(check, agents, options):
    """Checks with runs of their own, that print a line for each."""
    build(options.client)
    held = [check(agent, options.client, options.keep) for agent in agents]
    return 0 if all(held) else 1


def arguments():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--extra",
        action="append",
        default=[],
        metavar="DIR",
        help="a further folder with agents/*.toml and scenarios.toml",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    command = commands.add_parser("install")
    command.add_argument("agent", nargs="+")
    command = commands.add_parser("run")
    command.add_argument("agent")
    command.add_argument("scenario")
    add_client(command)
    command.add_argument("--keep", action="store_true")
    command.add_argument("-v", "--verbose", action="store_true")
    for name in SPECIAL:
        command = commands.add_parser(name)
        command.add_argument("agent", nargs="+")
        command.add_argument("--client", default=DEFAULT_CLIENT)
        command.add_argument("--keep", action="store_true")
    command = commands.add_parser("matrix")
    command.add_argument("--agents", type=lambda names: names.split(","))
    command.add_argument("--scenarios", type=lambda names: names.split(","))
    add_client(command)
    command.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    command.add_argument("--out")
    command.add_argument("--detail", action="store_true")
    command.add_argument("--threshold", type=float, default=1.0)
    command = commands.add_parser("measure")
    command.add_argument("page", type=Path)
    command.add_argument("--client", default=DEFAULT_CLIENT)
    command.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    return parser.parse_args()


def add_client(command):
    command.add_argument("--client", default=DEFAULT_CLIENT)
    command.add_argument("--client-arg", action="append", default=[])
    command.add_argument("--expect-turn", action="store_true")


def main():
    options = arguments()
    agents, scenarios = load(options.extra)
    if options.command == "list":
        return show(agents, scenarios)
    if options.command == "install":
        return install_all(pick(options.agent, agents, "agent"))
    if options.command in SPECIAL:
        return special(SPECIAL[options.command], pick(options.agent, agents, "agent"), options)
    if options.command == "measure":
        return measure([*agents.values()], [*scenarios.values()], options)
    settings = Settings(options.client, options.client_arg, options.expect_turn)
    if options.command == "run":
        settings.keep, settings.verbose = options.keep, options.verbose
        agent = pick([options.agent], agents, "agent")[0]
        return run(agent, pick([options.scenario], scenarios, "scenario")[0], settings)
    agents = pick(options.agents, agents, "agent")
    return matrix(agents, pick(options.scenarios, scenarios, "scenario"), settings, options)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except Trouble as e:
        print(f"rig.py: {e}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
