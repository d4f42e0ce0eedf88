"""OpenAI's responses."""

import json
import time

from dialects.shapes import Request, text_of

USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 110,
}


def serves(path):
    return path.endswith("/responses")


def read(body):
    request = Request(system=text_of(body.get("instructions")))
    for tool in body.get("tools") or []:
        if tool.get("type") == "namespace":
            for part in tool.get("tools") or []:
                name = f"{tool.get('name') or ''}::{part.get('name') or ''}"
                request.tools[name] = (part.get("parameters"), part.get("description"))
        else:
            name = tool.get("name") or tool.get("type")
            request.tools[name] = (tool.get("parameters"), tool.get("description"))
    items = body.get("input")
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    for item in items or []:
        kind = item.get("type") or ("message" if "role" in item else "?")
        if kind == "message":
            request.say(item.get("role"), item.get("content"))
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            arguments = item.get("arguments") or item.get("input") or item.get("action")
            name = item.get("name") or kind
            call = {"id": item.get("call_id"), "name": name, "arguments": arguments}
            request.call("assistant", [call])
        elif kind.endswith("_output"):
            request.result(item.get("call_id"), text_of(item.get("output")))
        else:
            request.say(kind, item.get("content") or item.get("summary"))
    return request


def write(reply, body, answer):
    items = output_items(reply, answer)
    whole = {
        "id": f"resp_fake{reply.seq}",
        "object": "response",
        "created_at": int(time.time()),
        "model": reply.model,
        "status": "completed",
        "output": items,
        "usage": USAGE,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "temperature": 1.0,
        "top_p": 1.0,
        "metadata": {},
    }
    if not body.get("stream"):
        reply.json(whole)
        return
    reply.start_events()
    sequence = iter(range(1_000_000))

    def event(kind, **more):
        reply.event({"type": kind, "sequence_number": next(sequence), **more}, name=kind)

    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    event("response.created", response=begun)
    event("response.in_progress", response=begun)
    for index, item in enumerate(items):
        STREAMED[item["type"]](event, index, item, answer)
        event("response.output_item.done", output_index=index, item=item)
    event("response.completed", response=whole)


def output_items(reply, answer):
    """The finished items of an answer: a message where there is text, then the calls."""
    items = []
    if answer.text:
        text = {"type": "output_text", "text": answer.text, "annotations": []}
        message = {"type": "message", "id": f"msg_fake{reply.seq}", "status": "completed"}
        items.append({**message, "role": "assistant", "content": [text]})
    for index, call in enumerate(answer.calls):
        item = {"status": "completed", "call_id": call["id"], "name": call["name"]}
        if call["input"] is not None:
            item.update(type="custom_tool_call", id=f"ctc_fake{reply.seq}_{index}")
            item["input"] = call["input"]
        else:
            item.update(type="function_call", id=f"fc_fake{reply.seq}_{index}")
            item["arguments"] = json.dumps(call["arguments"])
            if "::" in call["name"]:  # Codex offers MCP tools as namespaces
                item["namespace"], item["name"] = call["name"].split("::", 1)
        items.append(item)
    return items


def stream_message(event, index, item, answer):
    place = {"output_index": index, "item_id": item["id"], "content_index": 0}
    started = {**item, "status": "in_progress", "content": []}
    event("response.output_item.added", output_index=index, item=started)
    empty = {"type": "output_text", "text": "", "annotations": []}
    event("response.content_part.added", **place, part=empty)
    for piece in answer.pieces():
        event("response.output_text.delta", **place, delta=piece)
        time.sleep(answer.chunk_delay_ms / 1000)
    event("response.output_text.done", **place, text=answer.text)
    event("response.content_part.done", **place, part=item["content"][0])


def stream_function_call(event, index, item, answer):
    place = {"output_index": index, "item_id": item["id"]}
    started = {**item, "status": "in_progress", "arguments": ""}
    event("response.output_item.added", output_index=index, item=started)
    event("response.function_call_arguments.delta", **place, delta=item["arguments"])
    done = {"arguments": item["arguments"], "name": item["name"]}
    event("response.function_call_arguments.done", **place, **done)


def stream_custom_call(event, index, item, answer):
    place = {"output_index": index, "item_id": item["id"]}
    started = {**item, "status": "in_progress", "input": ""}
    event("response.output_item.added", output_index=index, item=started)
    event("response.custom_tool_call_input.delta", **place, delta=item["input"])
    event("response.custom_tool_call_input.done", **place, input=item["input"])


STREAMED = {
    "message": stream_message,
    "function_call": stream_function_call,
    "custom_tool_call": stream_custom_call,
}
