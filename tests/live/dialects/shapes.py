"""What all dialects are translated to and from."""

import json
from dataclasses import dataclass, field


@dataclass
class Request:
    """What an agent shows its model.

    `tools` maps a name to (schema, description). A message is {"role", "text"}, or one with
    "tool_calls": [{"id", "name", "arguments"}], or {"role": "tool", "tool_call_id", "tool_result"}.
    """

    system: str = ""
    tools: dict = field(default_factory=dict)
    messages: list = field(default_factory=list)

    def say(self, role, content):
        self.messages.append({"role": role, "text": text_of(content)})

    def call(self, role, calls, **more):
        self.messages.append({"role": role, **more, "tool_calls": calls})

    def result(self, call_id, text, **more):
        message = {"role": "tool", "tool_call_id": call_id, **more, "tool_result": text}
        self.messages.append(message)


@dataclass
class Answer:
    """What the script answers. A call is {"id", "name", "arguments", "input", "via", "ide"}."""

    text: str = ""
    calls: list = field(default_factory=list)
    delay_ms: int = 0
    chunk_delay_ms: int = 0
    http_status: int | None = None

    def pieces(self, size=24):
        """The text as it is streamed."""
        return [self.text[i : i + size] for i in range(0, len(self.text), size)]


def text_of(content):
    """Any dialect's content value, flattened to text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "output", "content", "refusal", "input_text"):
            if key in content:
                return text_of(content[key])
        return json.dumps(content)
    return str(content)
