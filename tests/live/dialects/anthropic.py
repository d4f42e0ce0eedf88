"""Anthropic's messages."""

import json
import time

from dialects.shapes import Request, text_of

USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def serves(path):
    return path.endswith("/messages")


def read(body):
    request = Request(system=text_of(body.get("system")))
    for tool in body.get("tools") or []:
        request.tools[tool.get("name")] = (tool.get("input_schema"), tool.get("description"))
    for message in body.get("messages") or []:
        role, content = message["role"], message.get("content")
        if isinstance(content, str):
            request.say(role, content)
            continue
        for block in content or []:
            kind = block.get("type")
            if kind == "tool_result":
                text = text_of(block.get("content"))
                request.result(block.get("tool_use_id"), text, is_error=block.get("is_error"))
            elif kind == "tool_use":
                arguments = json.dumps(block.get("input"))
                call = {"id": block.get("id"), "name": block.get("name"), "arguments": arguments}
                request.call(role, [call])
            else:
                request.say(role, block)
    return request


def write(reply, body, answer):
    blocks = []
    if answer.text or not answer.calls:
        blocks.append({"type": "text", "text": answer.text})
    for call in answer.calls:
        use = {"type": "tool_use", "id": "toolu_" + call["id"], "name": call["name"]}
        blocks.append({**use, "input": call["arguments"]})
    stop = {"stop_reason": "tool_use" if answer.calls else "end_turn", "stop_sequence": None}
    head = {"id": f"msg_fake{reply.seq}", "type": "message", "role": "assistant"}
    head["model"] = reply.model
    if not body.get("stream"):
        reply.json({**head, "content": blocks, **stop, "usage": USAGE})
        return
    reply.start_events()

    def event(kind, **more):
        reply.event({"type": kind, **more}, name=kind)

    begun = {"content": [], "stop_reason": None, "stop_sequence": None}
    event("message_start", message={**head, **begun, "usage": {**USAGE, "output_tokens": 1}})
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty = {"type": "text", "text": ""}
            event("content_block_start", index=index, content_block=empty)
            for piece in answer.pieces():
                delta = {"type": "text_delta", "text": piece}
                event("content_block_delta", index=index, delta=delta)
                time.sleep(answer.chunk_delay_ms / 1000)
        else:
            event("content_block_start", index=index, content_block={**block, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            event("content_block_delta", index=index, delta=delta)
        event("content_block_stop", index=index)
    event("message_delta", delta=stop, usage={"output_tokens": 10})
    event("message_stop")
