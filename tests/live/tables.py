"""What a matrix of runs says, as text: for a terminal, a file, and a page of the documentation."""

import re
from dataclasses import dataclass
from pathlib import Path

from fleet import Trouble, installed

BEGIN = "<!-- measured: everything down to the end mark is written by tests/live/rig.py measure -->"
RUN_FOLDER = re.compile(r"/[^\s'\"]*/rig-[a-z-]+-\w{8}/")
END = "<!-- end of what was measured -->"


@dataclass
class Matrix:
    """`cells`: {(agent's name, scenario's name): Verdict}."""

    agents: list
    scenarios: list
    cells: dict

    def counted(self):
        return [cell for cell in self.cells.values() if cell.status != "n/a"]

    def share(self):
        counted = self.counted()
        met = sum(cell.status == "ok" for cell in counted)
        return met, len(counted), met / len(counted) if counted else 0.0

    def in_turn(self):
        turns = [cell.in_turn for cell in self.counted() if cell.in_turn is not None]
        return f"guidance in the same turn: {sum(turns)}/{len(turns)}"

    def figure(self):
        return "cells met: {}/{} = {:.2f}".format(*self.share())

    def table(self):
        names = [scenario["name"] for scenario in self.scenarios]
        rows = [["agent", *names], ["---"] * (len(names) + 1)]
        for agent in self.agents:
            cells = (self.cells[agent["name"], name] for name in names)
            rows.append([agent["name"], *map(in_short, cells)])
        return as_rows(rows)

    def details(self):
        text = ""
        for (agent, scenario), cell in self.cells.items():
            if cell.status != "n/a":
                lines = "".join(f"    {line}\n" for line in cell.lines)
                text += f"\n### {agent}, {scenario}: {cell.status}\n\n{lines}"
        return text

    def failures(self):
        """A line for each cell that does not hold: what the failed checks saw."""
        for (agent, scenario), cell in self.cells.items():
            if cell.status not in ("ok", "n/a"):
                failed = [line for line in cell.lines if "<- FAIL" in line] or cell.lines
                text = "; ".join(line.replace("<- FAIL", "").strip() for line in failed)
                yield f"{agent}, {scenario}: {RUN_FOLDER.sub('', text)}"


def in_short(cell):
    """A cell in a word: `hidden` where it holds since the built-in tool is not offered."""
    if cell.status == "ok":
        return "hidden" if cell.hidden else "ok"
    return "-" if cell.status == "n/a" else "no: " + " ".join(cell.failed or [cell.status])


def as_rows(rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def write_page(page, command, measured):
    """Puts what was measured between the marks of a page.  `measured`: [(heading, Matrix)]."""
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise Trouble(f"{page} lacks the marks {BEGIN} and {END}")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    page.write_text(before + BEGIN + "\n\n" + report(command, measured) + "\n" + END + after)


def report(command, measured):
    agents = measured[0][1].agents
    rows = [["agent", "", "measured with"], ["---"] * 3]
    rows += [[a["name"], a["title"], ", ".join(versions(a))] for a in agents]
    parts = [f"Made by `{command}`.\n", as_rows(rows)]
    for heading, matrix in measured:
        figures = f"{matrix.in_turn()}; {matrix.figure()}."
        parts += [f"### {heading}\n", matrix.table(), figures[0].upper() + figures[1:] + "\n"]
        failures = "".join(f"- {line}\n" for line in matrix.failures())
        if failures:
            parts += ["Cells that do not hold, and what was seen:\n", failures]
    return "\n".join(parts)


def versions(agent):
    """The measured packages of an agent, without the tools beside it."""
    wanted = agent["install"].get("npm", []) + agent["install"].get("pip", [])
    name = re.split(r"(?<=.)@|[=<>]", wanted[0])[0]
    have = installed(agent) or []
    return [package for package in have if package.rsplit(" ", 1)[0] == name] or ["not installed"]


def write_file(path, matrix, with_details):
    more = matrix.details() if with_details else ""
    Path(path).write_text(f"{matrix.table()}\n{matrix.in_turn()}; {matrix.figure()}\n{more}")
