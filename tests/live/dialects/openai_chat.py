"""OpenAI's chat completions."""

import json
import time

from dialects.shapes import Request, text_of

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def serves(path):
    return path.endswith("/chat/completions")


def read(body):
    request = Request()
    for tool in body.get("tools") or []:
        function = tool.get("function") or {}
        name = function.get("name") or tool.get("name") or tool.get("type")
        request.tools[name] = (function.get("parameters"), function.get("description"))
    for message in body.get("messages") or []:
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            request.result(message.get("tool_call_id"), text_of(content))
        elif role == "assistant" and message.get("tool_calls"):
            calls = [
                {"id": call.get("id"), **{k: call["function"][k] for k in ("name", "arguments")}}
                for call in message["tool_calls"]
                if call.get("function")
            ]
            request.call(role, calls, text=text_of(content))
        else:
            if role in ("system", "developer"):
                request.system += text_of(content) + "\n"
            request.say(role, content)
    return request


def write(reply, body, answer):
    head = {"id": f"chatcmpl-fake{reply.seq}", "created": int(time.time()), "model": reply.model}
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
        }
        for call in answer.calls
    ]
    finish = "tool_calls" if calls else "stop"
    if not body.get("stream"):
        message = {"role": "assistant", "content": answer.text or None}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": finish}
        reply.json({**head, "object": "chat.completion", "choices": [choice], "usage": USAGE})
        return
    reply.start_events()
    head["object"] = "chat.completion.chunk"

    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        reply.event({**head, "choices": [choice]})

    chunk({"role": "assistant", "content": ""})
    for piece in answer.pieces():
        chunk({"content": piece})
        time.sleep(answer.chunk_delay_ms / 1000)
    for index, call in enumerate(calls):
        function = call["function"]
        named = {"name": function["name"], "arguments": ""}
        chunk({"tool_calls": [{**call, "index": index, "function": named}]})
        arguments = {"arguments": function["arguments"]}
        chunk({"tool_calls": [{"index": index, "function": arguments}]})
    chunk({}, finish)
    reply.event({**head, "choices": [], "usage": USAGE})
    reply.event("[DONE]")
