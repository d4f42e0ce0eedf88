"""Google's generateContent."""

import json
import time

from dialects.shapes import Request, text_of

USAGE = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}


def serves(path):
    return path.lower().endswith("generatecontent")


def read(body):
    system = body.get("systemInstruction") or body.get("system_instruction") or {}
    system = system.get("parts") if isinstance(system, dict) else system
    request = Request(system=text_of(system))
    for tool in body.get("tools") or []:
        declared = tool.get("functionDeclarations") or tool.get("function_declarations") or []
        for function in declared:
            schema = function.get("parametersJsonSchema") or function.get("parameters")
            request.tools[function.get("name")] = (schema, function.get("description"))
    for message in body.get("contents") or []:
        for part in message.get("parts") or []:
            if "functionCall" in part:
                call = part["functionCall"]
                arguments = json.dumps(call.get("args"))
                call = {"id": call.get("id"), "name": call.get("name"), "arguments": arguments}
                request.call(message.get("role"), [call])
            elif "functionResponse" in part:
                response = part["functionResponse"]
                request.result(response.get("id"), json.dumps(response.get("response")))
            else:
                request.say(message.get("role"), part)
    return request


def write(reply, body, answer):
    parts = [
        {"functionCall": {"id": call["id"], "name": call["name"], "args": call["arguments"]}}
        for call in answer.calls
    ]

    def response(parts, finish=None):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        head = {"modelVersion": reply.model, "responseId": f"fake{reply.seq}"}
        return {"candidates": [candidate], "usageMetadata": USAGE, **head}

    method = reply.path.rsplit(":", 1)[-1].lower()
    if "stream" not in method:
        text = [{"text": answer.text}] if answer.text else []
        reply.json(response(text + parts or [{"text": ""}], "STOP"))
        return
    reply.start_events()
    for piece in answer.pieces():
        reply.event(response([{"text": piece}]))
        time.sleep(answer.chunk_delay_ms / 1000)
    reply.event(response(parts or [{"text": ""}], "STOP"))
