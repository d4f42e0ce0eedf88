"""The logs of a run: the model's calls, what it was shown after them, prompts, permissions."""

import json
import re
from dataclasses import dataclass

from trial import jsonl

# An agent's own note that the tools of a server have come up is no guidance.
NEWS = re.compile(
    r"deferred tools|tools? (is|are) now available|now available via"
    r"|MCP servers? (have|has) connected|Tool loaded",
    re.I,
)
WRAPPER = re.compile(r"\[Tool '[^']*' executed\.\]")


@dataclass
class Told:
    """Where, after a call, a text that names one of some tools reached the model.

    where    a tool result, or whose text
    in_turn  within the prompt turn of the call
    turn     number of the prompt turn
    after    seconds since the call
    late     an IDE tool had been called before
    request  index of the model request
    """

    where: str
    in_turn: bool
    turn: int
    after: float
    late: bool
    text: str
    request: int


class Evidence:
    """A trial's logs. A call is one of the script's with `at` (index of the request it answered),
    `what` kind of step it belongs to, the watched `files` at that moment, and its `result`."""

    def __init__(self, trial):
        self.trial, self.scenario, self.agent = trial, trial.scenario, trial.agent
        self.events = trial.events
        log = jsonl(trial.base / "llm.jsonl")
        self.requests = [line for line in log if line.get("kind") in ("step", "fallback")]
        self.prompts, self.permissions = [], []
        self.calls, self.hidden, self.not_offered = [], [], []
        self.read_traffic(jsonl(trial.base / "acp.jsonl"))
        self.read_requests()

    def read_traffic(self, lines):
        prompts, questions = {}, {}
        for line in lines:
            message = line["msg"]
            if not isinstance(message, dict):
                continue
            key, method = json.dumps(message.get("id")), message.get("method")
            by_client, is_answer = line["dir"] == "client", "method" not in message
            if by_client and method == "session/prompt":
                prompts[key] = {"asked": line["ts"], "ended": None, "stop": None}
                self.prompts.append(prompts[key])
            elif line["dir"] == "agent" and is_answer and key in prompts:
                prompts[key]["ended"] = line["ts"]
                prompts[key]["stop"] = stop_reason(message)
            elif line["dir"] == "agent" and method == "session/request_permission":
                questions[key] = {"params": message["params"], "answer": None}
                self.permissions.append(questions[key])
            elif by_client and is_answer and key in questions:
                questions[key]["answer"] = chosen_kind(message, questions[key]["params"])

    def read_requests(self):
        for index, request in enumerate(self.requests):
            self.join_results(index, request)
            self.hidden += request.get("hidden", [])
            self.not_offered += [missing["ide"] for missing in request.get("not_offered", [])]
            for call in request["answer"]["tool_calls"]:
                step = request["step"]
                about = {
                    "at": index,
                    "ts": request["ts"],
                    "what": self.trial.steps[step]["what"] if step is not None else "?",
                    "shows": self.trial.steps[step].get("shows") if step is not None else None,
                    "files": request["files"],
                    "result": None,
                    "result_ts": None,
                }
                self.calls.append({**call, **about})

    def join_results(self, index, request):
        """Agents keep our call id, put something before it, or (Gemini) leave it out."""
        for call in self.calls:
            for message in request["new"]:
                if message.get("role") != "tool":
                    continue
                call_id = str(message.get("tool_call_id") or "")
                if call_id.endswith(call["id"]) or not call_id and call["at"] == index - 1:
                    call["result"], call["result_ts"] = message["tool_result"], request["ts"]

    def turn(self, moment):
        """Number of the prompt turn, from 1; a prompt folded into a running turn is no new one."""
        ended = [p for p in self.prompts if p["ended"] is not None and p["ended"] < moment]
        return 1 + len(ended)

    def shown(self, start, stop=None):
        """(index of request, message) for all that was new to the model, its own words left out."""
        for index, request in list(enumerate(self.requests))[start:stop]:
            for message in foreign(request["new"]):
                yield index, message

    def text_shown(self, start, stop=None):
        return "\n".join(text_of(message) for _, message in self.shown(start, stop))

    def told(self, call, names):
        """Where, after this call, a text naming one of these tools reached the model; or None."""
        searches = [c["id"] for c in self.calls if c["via"] == "search"]
        patterns = [rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9_])" for name in names]
        for index, message in self.shown(call["at"] + 1):
            text = WRAPPER.sub("", text_of(message))
            call_id = str(message.get("tool_call_id") or "")
            is_result = message["role"] == "tool"
            if any(call_id.endswith(search) for search in searches):
                continue
            if not is_result and NEWS.search(text):
                continue
            if any(re.search(pattern, text) for pattern in patterns):
                return self.found(call, index, message, text)
        return None

    def found(self, call, index, message, text):
        moment = self.requests[index]["ts"]
        call_id = str(message.get("tool_call_id") or "")
        number = (k + 1 for k, c in enumerate(self.calls) if call_id and call_id.endswith(c["id"]))
        number = next(number, None)
        result = "tool result" + (f" of call {number}" if number else "")
        ide = [c for c in self.calls if c["ide"] and c["via"] != "search"]
        return Told(
            where=result if message["role"] == "tool" else message["role"] + " text",
            in_turn=self.turn(moment) == self.turn(call["ts"]),
            turn=self.turn(moment),
            after=moment - call["ts"],
            late=any(c["ts"] < moment for c in ide),
            text=text,
            request=index,
        )


def foreign(messages):
    """Messages that are not the model's own."""
    return [
        m for m in messages if m["role"] not in ("assistant", "model") and "tool_calls" not in m
    ]


def text_of(message):
    return message.get("tool_result") or message.get("text") or ""


def stop_reason(message):
    reason = (message.get("result") or {}).get("stopReason")
    return reason or f"error: {(message.get('error') or {}).get('message')}"


def chosen_kind(message, params):
    """The kind of the option that a client chose, or `cancelled`, or `error`."""
    outcome = (message.get("result") or {}).get("outcome") or {}
    for option in params.get("options") or []:
        if option.get("optionId") == outcome.get("optionId"):
            return option.get("kind")
    return outcome.get("outcome") or "error"
