"""The agents and scenarios as data, and installing pinned versions into the cache folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("SIDERAIL_RIG") or Path.home() / ".cache" / "siderail-rig").absolute()
NODE = "node@24"
UV = "uv>=0.9"
# Names of programs by the package that brings them, where the two differ.
PROGRAMS = {"bubblewrap": "bwrap"}


class Trouble(Exception):
    """Said to the user in one line."""


def load(extra=()):
    """-> agents, scenarios by name: those next to this file, then those of each extra folder."""
    agents, scenarios = {}, {}
    for folder in [HERE, *map(Path, extra)]:
        for file in sorted((folder / "agents").glob("*.toml")):
            agents[file.stem] = {"name": file.stem, **tomllib.loads(file.read_text())}
        file = folder / "scenarios.toml"
        if file.exists():
            for name, scenario in tomllib.loads(file.read_text()).items():
                scenarios[name] = {"name": name, **scenario}
    return agents, scenarios


def fill(template, values):
    """Puts values for {names}; unknown names stay, so that JSON and code stay as they are."""
    if isinstance(template, str):

        def value(match):
            return str(values[match[1]]) if match[1] in values else match[0]

        return re.sub(r"\{([a-z_]+\+?)\}", value, template)
    if isinstance(template, list):
        return [fill(part, values) for part in template]
    if isinstance(template, dict):
        return {fill(key, values): fill(part, values) for key, part in template.items()}
    return template


def home_of(agent):
    """Where an agent is installed."""
    return CACHE / "agents" / agent.get("cache", agent["name"])


def places(agent):
    """What an agent's data may refer to as {npm}, {bin} and so on."""
    folder, node = home_of(agent), CACHE / "node" / "node_modules" / "node" / "bin"
    return {
        "npm": folder / "node_modules",
        "bin": folder / "node_modules" / ".bin",
        "venv": folder / "venv",
        "deb": folder / "deb",
        "node": node / "node",
        "nodebin": node,
        "python": sys.executable,
    }


def installed(agent):
    """-> the pinned packages with their versions if they are there, else None."""
    try:
        stamp = json.loads((home_of(agent) / "installed.json").read_text())
    except (OSError, ValueError):
        return None
    return stamp["packages"] if stamp["install"] == agent["install"] else None


def install(agent):
    """Installs an agent unless it is there; -> a line that says what was done."""
    have = installed(agent)
    if have:
        return f"{agent['name']:<11} {', '.join(have):<46} already there"
    started, folder, wanted = time.time(), home_of(agent), agent["install"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    packages = [
        *from_npm(agent, wanted.get("npm", []), wanted.get("npm_options", [])),
        *from_pip(agent, wanted),
        *from_deb(agent, wanted.get("deb", [])),
    ]
    stamp = {"install": wanted, "packages": packages}
    (folder / "installed.json").write_text(json.dumps(stamp))
    return f"{agent['name']:<11} {', '.join(packages):<46} {time.time() - started:.0f} s"


def from_npm(agent, specs, options=()):
    if not specs:
        return []
    node, place = ensure_node(), places(agent)
    path = f"{node}:{os.environ['PATH']}"
    npm(home_of(agent), [*options, *specs], {**os.environ, "PATH": path})
    names = [spec.rsplit("@", 1)[0] for spec in specs]
    manifests = [json.loads((place["npm"] / name / "package.json").read_text()) for name in names]
    return [f"{name} {manifest['version']}" for name, manifest in zip(names, manifests)]


def ensure_node():
    node = CACHE / "node" / "node_modules" / "node" / "bin"
    if not (node / "node").exists():
        if not shutil.which("npm"):
            raise Trouble("npm is needed (any version) to fetch node 24")
        npm(CACHE / "node", [NODE])
    return node


def npm(folder, packages, env=None):
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"name": "rig", "private": true}\n')
    quiet = ["--no-audit", "--no-fund", "--no-progress"]
    run(["npm", "install", *quiet, *packages], cwd=folder, env=env)


def from_pip(agent, wanted):
    specs = wanted.get("pip", [])
    if not specs:
        return []
    uv, venv, version = ensure_uv(), places(agent)["venv"], wanted["python"]
    python = venv / "bin" / "python"
    own = {"UV_CACHE_DIR": CACHE / "uv" / "cache", "UV_PYTHON_INSTALL_DIR": CACHE / "uv" / "python"}
    env = {**os.environ, **{key: str(path) for key, path in own.items()}}
    try:
        interpreter = find_python(version) or version
        run([uv, "venv", "-q", "--clear", "--python", interpreter, venv], env=env)
    except Trouble as e:
        why = str(e).strip().splitlines()[-1][:200]
        nowhere = "none on PATH or in pyenv, and uv could not fetch one"
        raise Trouble(f"{agent['name']} needs Python {version}: {nowhere} ({why})") from e
    command = [uv, "pip", "install", "-q", "--python", python, *specs]
    if wanted.get("any_version"):  # pinned by the agent to a version that not every registry has
        (venv / "override.txt").write_text("\n".join(wanted["any_version"]) + "\n")
        command += ["--override", venv / "override.txt"]
    run(command, env=env)
    listing = run([uv, "pip", "list", "-q", "--python", python, "--format", "json"], env=env)
    names = {re.split(r"[=<>\[ ]", spec)[0].lower() for spec in specs}
    found = [package for package in json.loads(listing) if package["name"].lower() in names]
    return [f"{package['name']} {package['version']}" for package in found]


def find_python(version):
    """An interpreter of that version, on PATH or in pyenv; None: let uv fetch one."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    on_path = shutil.which("python" + version)
    for candidate in [on_path, *sorted(map(str, pyenv.glob(version + "*/bin/python")))]:
        if not candidate:
            continue
        check = "import ssl, sys, venv; print('%d.%d' % sys.version_info[:2])"
        got = subprocess.run([candidate, "-c", check], capture_output=True, text=True)
        if got.returncode == 0 and got.stdout.strip() == version:
            return candidate
    return None


def ensure_uv():
    folder = CACHE / "uv"
    if not (folder / "bin" / "uv").exists():
        run([sys.executable, "-m", "venv", folder])
        run([folder / "bin" / "pip", "install", "-q", UV])
    return folder / "bin" / "uv"


def from_deb(agent, packages):
    """Programs that the agent wants on PATH, unpacked into the cache; the system stays as it is."""
    folder, done = places(agent)["deb"], []
    for package in packages:
        if shutil.which(PROGRAMS.get(package, package)):
            continue
        try:
            folder.mkdir(exist_ok=True)
            run(["apt-get", "download", package], cwd=folder)
            for file in folder.glob("*.deb"):
                run(["dpkg", "-x", file, folder])
            done.append(package)
        except (Trouble, OSError) as e:
            done.append(f"without {package} ({str(e)[:60]})")
    return done


def run(command, cwd=None, env=None, timeout=900):
    """-> what a command printed; Trouble with the end of its complaint where it failed."""
    command = [str(part) for part in command]
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip()[-600:]
        raise Trouble(f"{' '.join(command[:4])}: exit {done.returncode}: {complaint}")
    return done.stdout
