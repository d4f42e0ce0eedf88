"""What came of a run: the scenario's checks on its evidence, and the lines that say so."""

import json
from collections import Counter
from dataclasses import dataclass, field

from checks import Checks
from evidence import Evidence, foreign, text_of

# Checks by the name under which they are printed, where it differs.
PRINTED_AS = {"guidance": "in_turn_guidance"}


@dataclass
class Verdict:
    """`in_turn`: guidance reached the model in the denied call's turn; None: nothing to guide.
    `hidden`: there was nothing to guide as the built-in tool is not offered."""

    status: str  # ok, FAIL, n/a, missing
    failed: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    in_turn: bool | None = None
    hidden: bool = False


def judge(trial, verbose=False):
    evidence = Evidence(trial)
    checks, scenario = Checks(evidence), trial.scenario
    expected = ["model_reached", *scenario["expect"]]
    lines, failed = [], []
    for name in [*expected, *scenario.get("print", [])]:
        passed, text = attempt(getattr(checks, name))
        is_failure = passed is False and name in expected
        if is_failure:
            failed.append(name)
        mark = "   <- FAIL" if is_failure else ""
        lines.append(f"{PRINTED_AS.get(name, name)}: {text}{mark}")
    events = Counter(event["event"] for event in evidence.events)
    counted = ", ".join(f"{name} {n}" for name, n in events.items())
    lines.append(f"client events: {counted or 'none'}")
    answers = ", ".join(str(question["answer"]) for question in evidence.permissions)
    lines.append(f"permission requests: {answers or 'none'}")
    if verbose:
        lines += conversation(evidence)
    status = "FAIL" if failed else "ok"
    if not scenario.get("guide"):
        return Verdict(status, failed, lines)
    if checks.is_all_hidden():
        return Verdict(status, failed, lines, hidden=True)
    told = checks.told
    in_turn = bool(told and told.in_turn and not told.late) if checks.builtin else None
    return Verdict(status, failed, lines, in_turn)


def attempt(check):
    """A broken log must not hide the other checks."""
    try:
        return check()
    except Exception as e:  # noqa: BLE001
        return False, f"no (check failed: {e!r})"


def conversation(evidence):
    """All that the model was shown, and what it answered."""
    lines = []
    for index, request in enumerate(evidence.requests):
        seconds = request["ts"] - evidence.trial.started
        turn = evidence.turn(request["ts"])
        lines.append(f"  request {index + 1}, {seconds:.1f} s, prompt {turn}")
        for message in foreign(request["new"]):
            text = text_of(message)
            more = "…" if len(text) > 400 else ""
            lines.append(f"    shown {message['role']}: {text[:400]}{more}".replace("\n", "\\n"))
        for call in request["answer"]["tool_calls"]:
            arguments = json.dumps(call["input"] or call["arguments"])[:200]
            lines.append(f"    calls {call['name']} ({call['via']}) {arguments}")
        if request["answer"]["text"]:
            lines.append(f"    says {request['answer']['text']}")
    return lines
