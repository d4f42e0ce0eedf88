"""The scripted model's mind: which tools it calls next, given what it has been shown.

The script (JSON) says:
  models         names of the models that are offered
  main_if        which requests belong to the conversation, and not to a title, a summary or a
                 classifier: {"min_tools": 1, "not_system_re": …, "not_user_re": …}
  watch          files whose text is recorded at each request: {"src/App.java": "/absolute/path"}
  steps          answers in order: {"text", "calls", "delay_ms", "chunk_delay_ms", "http_status",
                 "search_first", "if_hidden", "or_text"}; `if_hidden`: only where a tool of an earlier
                 step was not offered; `or_text`: the answer where none of the calls is offered
  deferred       the tool by which the agent's model searches for tools that are not listed
  code           the tool by which it calls tools from code
  renamed        IDE tools that this agent's model gets under another bare name
  ide_arguments  arguments added to every call of an IDE tool
  fallback       the answer when the steps are done; `aside` is the one to all other requests

A call is {"name", "arguments"} or {"name", "input"}: a tool of the agent; where it is not offered,
the call is left out and recorded as hidden; `find` is a pattern whose match in what the model was
shown is put for {found}.  Or {"ide": "intellij_write_file", "want": {…}}: a tool
looked up when its turn has come, by the end of its name among those offered, then by a search, then
from code; found nowhere, it is recorded as not_offered.
"""

import hashlib
import json
import re

from dialects.shapes import Answer

# Names under which the tools of different servers take the same thing.
SYNONYMS = {
    "path": ("path", "file_path", "filePath", "file", "relative_path", "filename"),
    "content": ("content", "text", "contents", "new_content", "file_text"),
    "command": ("command", "cmd", "command_line"),
}


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Playbook:
    """Goes through the steps of one script; one conversation's worth of state."""

    def __init__(self, script):
        self.script = script
        self.step = 0
        self.n_calls = 0
        self.any_hidden = False
        self.seen = set()  # (is it the conversation?, digest of a message already shown)
        self.searched = set()  # (step, tool): searched for once

    def choose(self, request):
        """-> the Answer to a request, and what is recorded of both."""
        main = self.is_main(request)
        new = self.unseen(request, main)
        everything = everything_shown(request)
        if main:
            kind, index, step, calls, hidden, missing = self.next_step(request, everything)
        else:
            kind, index, step = "aside", None, self.script.get("aside", {"text": "ok"})
            calls, hidden, missing = [], [], []
        answer = Answer(
            text=step.get("text", ""),
            calls=[self.numbered(call) for call in calls],
            delay_ms=step.get("delay_ms", 0),
            chunk_delay_ms=step.get("chunk_delay_ms", 0),
            http_status=step.get("http_status"),
        )
        named = set(re.findall(r"[A-Za-z0-9_-]*intellij_[a-z_]+", everything)) if main else ()
        record = {
            "kind": kind,
            "step": index,
            "shown_tools": list(request.tools),
            "hidden": hidden,
            "not_offered": missing,
            "named_at_start": sorted(named),
            "files": self.watched(),
            "new": new,
            "answer": {"text": answer.text, "tool_calls": answer.calls},
        }
        return answer, record

    def is_main(self, request):
        rule = {"min_tools": 1, **self.script.get("main_if", {})}
        if len(request.tools) < rule["min_tools"]:
            return False
        if rule.get("not_system_re") and re.search(rule["not_system_re"], request.system, re.S):
            return False
        asked = [m for m in request.messages if m["role"] == "user" and "text" in m]
        last = (asked[-1]["text"] or "") if asked else ""
        return not (rule.get("not_user_re") and re.search(rule["not_user_re"], last, re.S))

    def unseen(self, request, main):
        new = []
        for message in request.messages:
            key = (main, digest(message))
            if key not in self.seen:
                self.seen.add(key)
                new.append(message)
        return new

    def watched(self):
        files = {}
        for name, path in (self.script.get("watch") or {}).items():
            try:
                with open(path, encoding="utf8", errors="replace") as file:
                    files[name] = file.read(4000)
            except OSError:
                files[name] = None
        return files

    def next_step(self, request, everything):
        """-> kind, number and text of the step, its calls, the hidden ones, those not offered."""
        steps, hidden, missing = self.script.get("steps", []), [], []
        fallback = self.script.get("fallback", {"text": "Done."})
        while self.step < len(steps):
            index, step = self.step, steps[self.step]
            if step.get("if_hidden") and not self.any_hidden:
                self.step += 1
                continue
            calls = self.calls_of(step, request, everything, hidden, missing)
            if not calls and "or_text" in step:
                step = {**step, "text": step["or_text"], "calls": []}
            if not any(call["via"] == "search" for call in calls):
                self.step += 1
            if calls or not step.get("calls"):
                return "step", index, step, calls, hidden, missing
        return "fallback", None, fallback, [], hidden, missing

    def calls_of(self, step, request, everything, hidden, missing):
        """The calls of a step that can be made now; a search takes the place of all of them."""
        calls = []
        for call in step.get("calls") or []:
            if "ide" in call:
                via, found = self.find(call, request.tools, everything, step.get("search_first"))
                if found is None:
                    missing.append({"step": self.step, "ide": call["ide"]})
                    continue
                found = {**found, "via": via, "ide": call["ide"]}
                if via == "search":
                    return [found]
                calls.append(found)
            elif call["name"] in request.tools:
                calls.append({**with_found(call, everything), "via": "builtin"})
            else:
                hidden.append({"step": self.step, "name": call["name"]})
                self.any_hidden = True
        return calls

    def find(self, call, tools, everything, search_first):
        """An IDE tool -> ("offered" | "search" | "deferred" | "code" | "not_offered", call)."""
        bare = self.script.get("renamed", {}).get(call["ide"], call["ide"])
        want = {**call.get("want", {}), **self.script.get("ide_arguments", {})}
        deferred, code = self.script.get("deferred") or {}, self.script.get("code") or {}
        ending = re.compile(r"(^|[^a-z0-9])" + re.escape(bare) + "$")
        offered = sorted((name for name in tools if ending.search(name)), key=len)
        searchable = deferred and deferred["tool"] in tools
        may_search = searchable and (self.step, bare) not in self.searched
        if offered and not (search_first and may_search):
            arguments = renamed(want, tools[offered[0]][0])
            return "offered", {"name": offered[0], "arguments": arguments}
        named = names_ending(bare, everything)
        values = {"name": named[0] if named else bare, "tool": bare, "args": want}
        values["words"] = bare.replace("_", " ")
        if may_search:
            self.searched.add((self.step, bare))
            arguments = filled(deferred["arguments"], values)
            return "search", {"name": deferred["tool"], "arguments": arguments}
        if named and deferred.get("call_tool") in tools:
            arguments = filled(deferred["call_arguments"], values)
            return "deferred", {"name": deferred["call_tool"], "arguments": arguments}
        pattern = code.get("find", "").replace("{tool}", re.escape(bare))
        match = re.search(pattern, everything) if code else None
        if match and code["tool"] in tools:
            arguments = filled(code["arguments"], {**values, "found": match[1]})
            return "code", {"name": code["tool"], "arguments": arguments}
        return "not_offered", None

    def numbered(self, call):
        self.n_calls += 1
        return {
            "id": f"call_{self.n_calls:04d}",
            "name": call["name"],
            "arguments": call.get("arguments", {}),
            "input": call.get("input"),
            "via": call["via"],
            "ide": call.get("ide"),
        }


def with_found(call, everything):
    """A call whose arguments need something that the model was shown: {found} by its `find`."""
    match = re.search(call["find"], everything) if "find" in call else None
    if not match:
        return call
    arguments = {
        key: value.replace("{found}", match[1]) if isinstance(value, str) else value
        for key, value in call["arguments"].items()
    }
    return {**call, "arguments": arguments}


def everything_shown(request):
    """All text of a request: system prompt, messages, descriptions of tools."""
    shown = [m.get("text") or m.get("tool_result") or "" for m in request.messages]
    described = [str(description or "") for _, description in request.tools.values()]
    return "\n".join([request.system, *shown, *described])


def names_ending(bare, text):
    """Names in a text that end so, with something before it; longest first."""
    pattern = r"[A-Za-z0-9_-]*(?<![a-z0-9])" + re.escape(bare) + r"(?![A-Za-z0-9_-])"
    names = set(re.findall(pattern, text)) - {bare}
    return sorted(names, key=lambda name: (-len(name), name))


def renamed(want, schema):
    """The wanted arguments under the names that the offered schema has."""
    properties = (schema.get("properties") or {}) if isinstance(schema, dict) else {}
    result = {}
    for key, value in want.items():
        known = (name for name in SYNONYMS.get(key, (key,)) if name in properties)
        result[next(known, key)] = value
    return result


def filled(template, values):
    """A template with {name}, {tool}, {words}, {found} and {args} (as JSON within a text)."""
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if not isinstance(template, str):
        return template
    if template == "{args}":
        return values["args"]

    def value(match):
        key = match[1]
        return json.dumps(values["args"]) if key == "args" else str(values[key])

    return re.sub(r"\{(name|tool|words|found|args)\}", value, template)
