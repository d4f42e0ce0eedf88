"""The checks on a run. Each answers (True, False or None for not applicable; what is printed).

They rest on what passed between client and agent, on the model's log and on the files; of the
client's own word only the SUMMARY, the names of its events and its exit status count.
"""

import json
import re
from pathlib import Path

from evidence import text_of
from trial import IMAGE, read

NUDGE = re.compile(
    r"sandbox|allowed (folder|director|path)|(project|working) (folder|directory)"
    r"|outside the project",
    re.I,
)
ANOTHER = re.compile(r"another|instead|different|alternativ|other (way|approach|tool)", re.I)
STOP = re.compile(r"\bstop\b|ask the user|ask_user", re.I)
IDE_TOOLS = (
    "intellij_read_file",
    "intellij_write_file",
    "run_tests",
    "search_text",
    "run_command",
)
# What a nudge has to say, {folder} being the project's: the sandbox, no retry, another way.
NUDGE_PARTS = (
    r"sandbox[^.]*allowed folder[^.]*{folder}",
    r"not retry the same (path|call)",
    r"another way inside",
)
# Seconds from an interrupt to the client's end.
PROMPT_END = 5


def yes(text=""):
    return True, "yes" + (f" ({text})" if text else "")


def no(text=""):
    return False, "no" + (f" ({text})" if text else "")


def not_needed(text):
    return None, f"not needed ({text})"


class Checks:
    """One method per check that a scenario can name."""

    def __init__(self, evidence):
        self.evidence, self.trial = evidence, evidence.trial
        self.scenario, self.agent = evidence.scenario, evidence.agent
        calls = evidence.calls
        self.builtin = [c for c in calls if c["what"] == "call" and c["via"] == "builtin"]
        self.ide = [c for c in calls if c["ide"] and c["via"] != "search"]
        self.told = None  # the guidance that was found, by `guidance`

    def is_all_hidden(self):
        return not self.builtin and bool(self.evidence.hidden)

    def model_reached(self):
        n_requests = len(self.evidence.requests)
        return (
            yes(f"{n_requests} requests") if n_requests else no("the agent never asked the model")
        )

    # What the model was told after its call was denied.

    def guidance(self):
        """Did a text naming the IDE tool reach the model, and where?"""
        names = self.scenario.get("guide", [])
        if self.is_all_hidden():
            return not_needed(f"{self.evidence.hidden[0]['name']} is not offered to the model")
        if not self.builtin:
            return no("the call was never made")
        for call in self.builtin:
            told = self.evidence.told(call, names)
            if told:
                return self.judged(told)
        shown = self.builtin[0]["result"] or "nothing"
        return no(f"never; after the call the model was shown: {shown[:110]!r}")

    def judged(self, told):
        """The agent's `guidance_by` says what is good enough: turn, prompt (a later one), any."""
        self.told = told
        text = f"{told.where}, model request {told.request + 1}, {told.after:.1f} s"
        wanted = self.agent.get("guidance_by", "turn")
        if told.late:
            late = f"no, late ({text}, after the IDE tool was called)"
            return wanted == "any" and told.in_turn, late
        if told.in_turn:
            return yes(text)
        return wanted != "turn", f"no, in prompt {told.turn} ({text})"

    def guidance_each(self):
        """Every one of several calls in one answer is denied with guidance of its own."""
        parallel = [
            call for step in self.scenario["steps"] for call in step.get("parallel", [step])
        ]
        wanted = [call["guide"] for call in parallel if "guide" in call]
        if self.is_all_hidden():
            return not_needed("not offered to the model")
        if len(self.builtin) + len(self.evidence.hidden) < len(wanted):
            return no(f"only {len(self.builtin)} of {len(wanted)} calls were made")
        for call, name in zip(self.builtin, wanted):
            if not self.evidence.told(call, [name]):
                shown = (call["result"] or "nothing")[:90]
                return no(f"nothing names {name}; call of {call['name']}: {shown!r}")
        return self.judged(self.evidence.told(self.builtin[0], [wanted[0]]))

    def no_guidance(self):
        for call in self.builtin:
            told = self.evidence.told(call, IDE_TOOLS)
            if told:
                return no(f"{told.where} names an IDE tool: {told.text[:110]!r}")
        return yes()

    # What happened in the project.

    def builtin_blocked(self):
        """No watched file changed and no command ran before an IDE tool was called."""
        if self.is_all_hidden():
            return not_needed("not offered")
        if not self.builtin:
            return no("the call was never made")
        leak = self.scenario.get("leak")
        for call in self.builtin:
            if leak and leak in (call["result"] or ""):
                return no(f"it ran: {call['result'][:80]!r}")
        if "agent" in (read(self.trial.base / "gradle.log") or ""):
            return no("gradlew was run by the agent")
        requests, first = self.evidence.requests, self.builtin[0]
        later = [call["at"] for call in self.ide if call["at"] >= first["at"]]
        last = min(later or [len(requests) - 1])
        for request in requests[first["at"] : last + 1]:
            for name, text in request["files"].items():
                if text != first["files"][name]:
                    return no(f"{name} was changed before the IDE tool was called")
        if not self.ide:
            for name, text in first["files"].items():
                if read(self.trial.project / name) != text:
                    return no(f"{name} was changed and the IDE tool was never called")
        return yes()

    def file_written(self):
        for name, wanted in self.scenario.get("written", {}).items():
            text = read(self.trial.project / name)
            if text is None:
                return no(f"{name}: is not there")
            if wanted not in text:
                return no(f"{name}: lacks {wanted!r}")
        for name in self.scenario.get("gone", []):
            if (self.trial.project / name).exists():
                return no(f"{name}: is still there")
        return yes(", ".join(self.scenario.get("written", {})))

    def committed(self):
        subject = self.trial.git("log", "-1", "--format=%s").strip()
        left = self.trial.git("status", "--porcelain").split()
        if subject != self.scenario["committed"]:
            return no(f"the last commit is {subject!r}")
        return no(f"not committed: {' '.join(left[:6])}") if left else yes(subject)

    def untouched(self):
        for name in self.scenario.get("untouched", []):
            before = next((r["files"].get(name) for r in self.evidence.requests), None)
            if read(self.trial.project / name) != before:
                return no(f"{name} was written")
        return yes(", ".join(self.scenario.get("untouched", [])))

    # Plans.

    def plan_proposed(self):
        plans = [e for e in self.evidence.events if e["event"] == "PLAN_PROPOSED"]
        wanted = [step["present"] for step in self.scenario["steps"] if "present" in step]
        if len(plans) != len(wanted):
            return no(f"{len(plans)} proposed instead of {len(wanted)}")
        for plan, text in zip(plans, wanted):
            if text not in plan["text"]:
                return no(f"another text: {plan['text'][:110]!r}")
            if len(plan["entries"]) != len(text.splitlines()):
                return no(f"steps: {plan['entries']}")
        by = {"acp": "by its own request", "turn": "at the end of its turn"}
        return yes(", ".join(by.get(plan["channel"], "?") for plan in plans))

    def nothing_before(self):
        """No file of the project was changed, made or removed while a plan was awaited."""
        if not self.trial.at_plan:
            return no("no plan was proposed")
        for number, files in enumerate(self.trial.at_plan, 1):
            changed = dict(files.items() ^ self.trial.at_start.items())
            if changed:
                return no(f"before plan {number}: {', '.join(changed)}")
        tried = len([call for call in (*self.builtin, *self.ide) if call["ts"] < self.approved_at()])
        return yes(f"{len(self.trial.at_start)} files as they were, {tried} calls before")

    def approved_at(self):
        approved = [e["_ts"] for e in self.evidence.events if e["event"] == "PLAN_APPROVED"]
        return approved[0] if approved else float("inf")

    def feedback_shown(self):
        feedback = self.scenario["feedback"]
        for index, message in self.evidence.shown(0):
            if feedback in (message.get("tool_result") or message.get("text") or ""):
                turn = self.evidence.turn(self.evidence.requests[index]["ts"])
                return yes(f"{message['role']} text, prompt {turn}, model request {index + 1}")
        return no("the model was never shown it")

    def progress(self):
        steps = [e["entries"] for e in self.evidence.events if e["event"] == "PLAN"]
        states = [[entry["status"] for entry in entries] for entries in steps]
        running = any("in_progress" in state for state in states)
        if not running or not states or set(states[-1]) != {"completed"}:
            return no(f"steps went through {states}")
        return yes(f"{len(states)} updates of {len(states[-1])} steps")

    # What became of calls.

    def ide_called(self):
        steps = self.scenario["steps"]
        wanted = [c["ide"] for step in steps for c in step.get("parallel", [step]) if "ide" in c]
        called = [call["ide"] for call in self.ide]
        missing = next((name for name in wanted if name not in called), None)
        if missing:
            unseen = missing in self.evidence.not_offered
            return no(f"{missing} {'is not offered to the model' if unseen else 'never called'}")
        named = [
            c["name"] if c["via"] == "offered" else f"{c['ide']} ({c['via']})" for c in self.ide
        ]
        return yes(", ".join(named))

    def ide_answered(self):
        for call in self.ide:
            if call["ide"] == "intellij_read_file" and self.is_answer(call):
                return yes(f"{call['result_ts'] - call['ts']:.1f} s")
        return no(repr((self.ide[0]["result"] or "no result")[:110]) if self.ide else "not called")

    def image_shown(self):
        """The image that the prompt names is in what the model was shown."""
        log = read(self.evidence.trial.base / "llm.jsonl")
        return yes() if IMAGE in log.replace("\\/", "/") else no("not in the model's log")

    def each_answered(self):
        """Every IDE tool was called in its turn, and its result shows what the step names."""
        wanted = [step.get("shows", "") for step in self.scenario["steps"] if "ide" in step]
        for number, call in enumerate(self.ide, 1):
            if not re.search(call["shows"] or "", call["result"] or "no result"):
                return no(f"step {number}, {call['ide']}: {(call['result'] or 'nothing')[:110]!r}")
        n_called = len(self.ide)
        answer = yes if n_called == len(wanted) else no
        return answer(f"{n_called} of {len(wanted)}")

    def shell_answered(self):
        for call in self.builtin:
            if self.is_answer(call):
                return yes(f"{call['result_ts'] - call['ts']:.1f} s")
        for call in self.ide:
            if self.is_answer(call):
                return yes(f"with {call['ide']}, as the shell is hidden")
        if self.is_all_hidden():
            missing = ", ".join(self.evidence.not_offered)
            return no(f"neither a shell nor {missing} is offered to the model")
        if not self.builtin:
            return no("not called")
        return no(repr((self.builtin[0]["result"] or "no result")[:110]))

    def is_answer(self, call):
        return call["result"] and re.search(self.scenario["answered"], call["result"])

    def nothing_denied(self):
        refused = ("cancelled", "error", None)
        for question in self.evidence.permissions:
            answer = question["answer"]
            if (answer or "").startswith("reject") or answer in refused:
                call = json.dumps(question["params"].get("toolCall") or {})
                return no(f"permission answered {answer}: {call[:110]}")
        denied = [e for e in self.evidence.events if e["event"] == "PERMISSION_DENIED"]
        if denied:
            return no(f"{len(denied)} PERMISSION_DENIED")
        return yes(f"{len(self.evidence.permissions)} permission requests")

    def outside_kept(self):
        if not any("OUTSIDE_FILE_CONTENT" in (call["result"] or "") for call in self.builtin):
            return yes("not shown")
        if self.evidence.permissions:
            return no("shown although it was asked for and the answer is deny")
        return None, "shown; the agent asked nobody"

    # What the model is offered.

    def ide_offered(self):
        if not self.evidence.requests:
            return no("the agent never asked the model")
        first = self.evidence.requests[0]
        ours = re.compile(r"intellij|(get_file_outline|run_tests|search_text)$")
        own = [name for name in first["shown_tools"] if ours.search(name)]
        deferred = self.agent.get("deferred")
        if own:
            more = "…" if len(own) > 3 else ""
            return yes(f"{len(own)}: {', '.join(own[:3])}{more}")
        if deferred and deferred["tool"] in first["shown_tools"]:
            named = ", ".join(first["named_at_start"][:2]) or "none"
            return yes(f"behind {deferred['tool']}; named at the start: {named}")
        return no("none of them")

    def builtin_offered(self):
        """For information: the agent's own tools that are left, and its usual ones gone."""
        if not self.evidence.requests:
            return None, "?"
        shown = self.evidence.requests[0]["shown_tools"]
        left = [name for name in shown if "intellij" not in name]
        usual = self.agent.get("offered_by_default", [])
        gone = [name for name in usual if name not in left]
        text = f"{len(left)} ({' '.join(left)}); hidden {len(gone)} of {len(usual)}"
        return None, text + (f" ({' '.join(gone)})" if gone else "")

    # The tone after repeated denials.

    def nudge(self):
        result = None
        for number in range(2, max(3, len(self.builtin) + 1)):
            result = self.said_after(number, NUDGE)
            if result[0] is not False:
                break
        return result

    def escalation_2(self):
        return self.said_after(2, ANOTHER, differs_from=1)

    def escalation_4(self):
        return self.said_after(4, STOP, differs_from=3)

    def access_nudge(self):
        """Calls that ran and were refused access led to a NUDGE, which the model read in that turn."""
        nudges = [e for e in self.evidence.events if e["event"] == "NUDGE"]
        failed = [c for c in self.ide if re.search(c["shows"] or "(?!)", c["result"] or "")]
        if not nudges:
            return no(f"no NUDGE after {len(failed)} refused calls")
        parts = [part.replace("{folder}", re.escape(str(self.trial.project))) for part in NUDGE_PARTS]
        for index, message in self.evidence.shown(failed[0]["at"] + 1):
            text = " ".join(text_of(message).split())
            if all(re.search(part, text) for part in parts):
                moment = self.evidence.requests[index]["ts"]
                n_before = sum(c["ts"] < moment for c in failed)
                turns = [self.evidence.turn(ts) for ts in (failed[0]["ts"], moment)]
                answer = yes if turns[0] == turns[1] else no
                where = "tool result" if message["role"] == "tool" else message["role"] + " text"
                return answer(f"{where} after call {n_before}, prompt {turns[1]}")
        return no(f"NUDGE {len(nudges)}, but the model was never shown its three parts")

    def escalations(self):
        """From 2 and from 4 denials on there was an ESCALATION by the scenario's count, and the
        SUMMARY has as many of each count as there were."""
        if self.is_all_hidden():
            return not_needed("not offered")
        events = [e for e in self.evidence.events if e["event"] == "ESCALATION"]
        seen = [(e["scope"], e["denials"]) for e in events]
        wanted = [(self.scenario["scope"], number) for number in (2, 4)]
        summaries = [e for e in self.evidence.events if e["event"] == "SUMMARY"]
        told = (summaries[-1] if summaries else {}).get("escalations", {})
        counted = {scope: sum(s == scope for s, _ in seen) for scope in ("turn", "session")}
        said = ", ".join(f"{scope} {number}" for scope, number in seen) or "none"
        if not set(wanted) <= set(seen):
            return no(f"escalations: {said}")
        return yes(said) if told == counted else no(f"SUMMARY says {told}, escalations: {said}")

    def said_after(self, number, pattern, differs_from=None):
        """Does what the model is shown after this denial match, in other words than earlier?"""
        if self.is_all_hidden():
            return not_needed("not offered")
        text = self.shown_after(number)
        if text is None:
            # Where a denial ends the turn, a client may rightly give up before.
            gave_up = self.builtin and self.agent.get("guidance_by", "turn") != "turn"
            return None if gave_up else False, f"there were only {len(self.builtin)} denied calls"
        if differs_from:
            words = [re.sub(r"\d+", "", t or "") for t in (text, self.shown_after(differs_from))]
            if words[0] == words[1]:
                return no(f"same text as before: {text[:110]!r}")
        match = pattern.search(text)
        return yes(repr(match[0])) if match else no(f"after denial {number}: {text[:110]!r}")

    def shown_after(self, number):
        """All text shown to the model between this denied call and the next; None: never denied."""
        if len(self.builtin) < number:
            return None
        stop = self.builtin[number]["at"] + 1 if len(self.builtin) > number else None
        return self.evidence.text_shown(self.builtin[number - 1]["at"] + 1, stop)

    # How the client ended.

    def summary(self):
        summaries = [e for e in self.evidence.events if e["event"] == "SUMMARY"]
        if not summaries:
            return no("no SUMMARY line")
        text = json.dumps({key: x for key, x in summaries[-1].items() if key != "_ts"})
        for name in self.scenario.get("written", {}):
            if Path(name).name not in text:
                return no(f"SUMMARY does not name {name}")
        return yes(text[:150])

    def turn_ended(self):
        if self.trial.hung:
            return no("the client did not end within its time")
        stops, code = self.stops(), self.trial.code
        if code != 0:
            return no(f"client's exit status {code}, stop reasons {stops}, {self.last_words()}")
        seconds = self.trial.ended - self.trial.started
        return yes(f"exit 0, {', '.join(map(str, stops)) or 'no prompt seen'}, {seconds:.1f} s")

    def failed(self):
        stops, code = self.stops(), self.trial.code
        answer = yes if code in (4, 7) else no
        return answer(f"exit status {code}, stop reasons {stops}, {self.last_words()}")

    def ended_in_time(self):
        if self.trial.interrupted is None:
            return no(f"never got so far: exit {self.trial.code}, {self.last_words()}")
        seconds = self.trial.ended - self.trial.interrupted
        answer = no if self.trial.hung or seconds > PROMPT_END else yes
        killed = ", killed" if self.trial.hung else ""
        return answer(f"{seconds:.1f} s after the interrupt{killed}")

    def cancelled(self):
        answer = yes if self.trial.code == 6 else no
        return answer(f"exit status {self.trial.code}, stop reasons {self.stops()}")

    def no_orphans(self):
        left = list(self.trial.left.items())[:3]
        return no("; ".join(f"{pid} {command}" for pid, command in left)) if left else yes()

    def stops(self):
        return [prompt["stop"] for prompt in self.evidence.prompts]

    def last_words(self):
        lines = (read(self.trial.base / "client.err") or "").strip().splitlines()
        return lines[-1][:160] if lines else "nothing on stderr"
