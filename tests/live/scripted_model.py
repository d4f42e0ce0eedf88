#!/usr/bin/env python3
"""A stand-in for the model of a coding agent: an HTTP server on loopback that plays a script.

  scripted_model.py --script SCRIPT.json --log LOG.jsonl [--port N] [--port-file FILE]

What the script says is described in playbook.py, the formats that agents speak are in dialects/.
Each line of the log has `new`, what the model is shown that it was not shown before; `shown_tools`,
the tools offered; `answer`, what the script answered; and `files`, the watched files then.
"""

import argparse
import gzip
import json
import os
import re
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.dont_write_bytecode = True
import dialects  # noqa: E402
from playbook import Playbook, digest  # noqa: E402

LONG = ("system", "tools", "instructions", "systemInstruction")
HISTORY = ("messages", "input", "contents")


class Model:
    """The playbook with its log; one lock, as requests may overlap."""

    def __init__(self, script, log):
        self.script = script
        self.playbook = Playbook(script)
        self.lock = threading.Lock()
        self.log = log
        self.seq = 0
        self.logged = {}  # digest of a part of a body -> the line that has it

    def record(self, **what):
        """Writes a line of the log under the next number; the lock is held by the caller."""
        self.seq += 1
        self.write({"seq": self.seq, **what})
        return self.seq

    def write(self, what):
        line = {"ts": round(time.time(), 3), **what}
        self.log.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.log.flush()

    def answer(self, request, body, **what):
        with self.lock:
            answer, record = self.playbook.choose(request)
            shown = {"model": body.get("model"), "stream": body.get("stream")}
            body = self.shortened(body, self.seq + 1)
            return self.record(**what, **shown, **record, body=body), answer

    def shortened(self, body, seq):
        """A body as it is logged: parts that an earlier line has are only referred to."""
        short = {}
        for key, value in body.items():
            if key in LONG and value:
                first = self.logged.setdefault(digest(value), seq)
                short[key] = value if first == seq else {"$same_as_seq": first}
            elif key in HISTORY and isinstance(value, list):
                short[key] = [self.shortened_message(message, seq) for message in value]
            else:
                short[key] = value
        return short

    def shortened_message(self, message, seq):
        first = self.logged.setdefault(digest(message), seq)
        if first == seq or len(json.dumps(message)) <= 600:
            return message
        role = message.get("role") if isinstance(message, dict) else None
        return {"$same_as_seq": first, "role": role}


class Reply:
    """How a dialect answers one request."""

    def __init__(self, handler, seq, model):
        self.handler, self.seq, self.model = handler, seq, model
        self.path = handler.path.split("?")[0]

    def json(self, value, status=200):
        body = json.dumps(value).encode()
        self.head(status, "application/json", ("content-length", str(len(body))))
        self.handler.wfile.write(body)

    def start_events(self):
        uncached, closing = ("cache-control", "no-cache"), ("connection", "close")
        self.head(200, "text/event-stream", uncached, closing)
        self.handler.close_connection = True

    def event(self, value, name=None):
        text = value if isinstance(value, str) else json.dumps(value)
        head = f"event: {name}\n" if name else ""
        self.handler.wfile.write(f"{head}data: {text}\n\n".encode())
        self.handler.wfile.flush()

    def head(self, status, kind, *headers):
        self.handler.send_response(status)
        for header in (("content-type", kind), *headers):
            self.handler.send_header(*header)
        self.handler.send_header("x-request-id", f"req_fake_{self.seq}")
        self.handler.end_headers()


class Handler(BaseHTTPRequestHandler):
    """One connection of an agent."""

    protocol_version = "HTTP/1.1"
    server_version = "scripted-model/1"
    model: Model

    def log_message(self, *_):
        """The log has all that matters."""

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self):
        headers = {k.lower(): v for k, v in self.headers.items()}
        told = {k: v for k, v in headers.items() if k in ("user-agent", "upgrade")}
        with self.model.lock:
            seq = self.model.record(method="GET", path=self.path, kind="get", headers=told)
        reply = Reply(self, seq, None)
        if headers.get("upgrade"):
            reply.json({"error": {"message": "no websockets here"}}, 404)
        else:
            names = self.model.script.get("models", ["fake-model"])
            reply.json(model_listing(reply.path, headers.get("user-agent") or "", names))

    def do_POST(self):
        raw = self.read_body()
        try:
            if self.headers.get("content-encoding") == "gzip":
                raw = gzip.decompress(raw)
            body = json.loads(raw or b"{}")
        except (ValueError, OSError, EOFError, zlib.error):
            body = {"_raw": raw[:2000].decode("utf8", "replace")}
        api = dialects.of(self.path.split("?")[0])
        what = {"method": "POST", "path": self.path, "api": api}
        if api is None:
            return self.answer_other(body, len(raw), what)
        dialect = dialects.DIALECTS[api]
        seq, answer = self.model.answer(dialect.read(body), body, **what)
        time.sleep(answer.delay_ms / 1000)
        reply = Reply(self, seq, body.get("model") or "fake-model")
        if answer.http_status:
            error = {"type": "fake_error", "message": answer.text or "scripted error"}
            return reply.json({"error": error}, answer.http_status)
        try:
            dialect.write(reply, body, answer)
        except (BrokenPipeError, ConnectionResetError) as e:
            with self.model.lock:
                self.model.write({"seq": seq, "kind": "client_went_away", "error": repr(e)})

    def answer_other(self, body, length, what):
        """What agents ask besides answers of the model."""
        body = body if length < 20000 else {"_len": length}
        with self.model.lock:
            seq = self.model.record(**what, kind="other", body=body)
        reply = Reply(self, seq, None)
        if reply.path.endswith("count_tokens"):
            reply.json({"input_tokens": 100})
        elif reply.path.endswith("countTokens"):
            reply.json({"totalTokens": 100})
        else:
            reply.json({"output": []} if reply.path.endswith("/compact") else {})

    def read_body(self):
        length = int(self.headers.get("content-length") or 0)
        if length:
            return self.rfile.read(length)
        body = b""
        if (self.headers.get("transfer-encoding") or "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        return body


def model_listing(path, user_agent, names):
    """The answer to a GET: lists of models in the formats of the dialects."""
    google = path.endswith("/v1/models") and "google" in user_agent
    if path.endswith("/v1beta/models") or google:
        methods = {"supportedGenerationMethods": ["generateContent"]}
        return {"models": [{"name": f"models/{n}", "displayName": n, **methods} for n in names]}
    if re.search(r"/models/?$", path):
        capable = {"completion_chat": True, "function_calling": True, "vision": False}
        limits = {"context_length": 200000, "max_model_len": 200000, "max_context_length": 200000}
        more = {"capabilities": {**capable, "completion_fim": False, "fine_tuning": False}}
        listed = [{**listed_model(n), "created_at": "2026-01-01T00:00:00Z"} for n in names]
        listed = [{**model, **limits, **more} for model in listed]
        ends = {"has_more": False, "first_id": names[0], "last_id": names[-1]}
        return {"object": "list", **ends, "data": listed}
    match = re.search(r"/models/([^/]+)$", path)
    return listed_model(match[1]) if match else {"ok": True}


def listed_model(name):
    head = {"id": name, "object": "model", "type": "model", "display_name": name}
    return {**head, "created": 1700000000, "owned_by": "fake"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file")
    options = parser.parse_args()
    with open(options.script, encoding="utf8") as file:
        script = json.load(file)
    with open(options.log, "w", encoding="utf8") as log:
        Handler.model = Model(script, log)
        server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
        server.daemon_threads = True
        port = server.server_address[1]
        if options.port_file:
            with open(options.port_file + ".tmp", "w", encoding="utf8") as file:
                file.write(str(port))
            os.replace(options.port_file + ".tmp", options.port_file)
        print(f"the scripted model listens on http://127.0.0.1:{port}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.exit(0)


if __name__ == "__main__":
    main()
