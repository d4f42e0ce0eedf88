// Lets the MCP conformance suite, which speaks HTTP only, reach a server that is started as a process.
//
// A POST becomes one line to a child process and its answer line the response. Legacy clients get a child
// per session, modern ones share one, as they would with a server that keeps no session. What only HTTP
// knows (Host and Origin, header mismatches, status codes) is decided here and says nothing about the server.
//
// Prints its address; port 0 takes a free one.
//
//   node bridge.mjs PORT PROGRAM [ARGS…]

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, program, ...args] = process.argv.slice(2);
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const VERSION = "io.modelcontextprotocol/protocolVersion";

/** One server process. Ids are replaced by our own, so that clients can share it. */
class Child {
  waiting = new Map();
  nextId = 1;

  constructor() {
    this.process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: this.process.stdout, crlfDelay: Infinity });
    lines.on("line", (line) => this.receive(JSON.parse(line)));
  }

  write(message) {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  request(message, onNotice, onAnswer) {
    const id = `bridge-${this.nextId++}`;
    this.waiting.set(id, { message, onNotice, onAnswer });
    this.write({ ...message, id });
    return id;
  }

  forget(id) {
    this.waiting.delete(id);
    this.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  }

  receive(message) {
    if (message.method === undefined) {
      const request = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      request?.onAnswer({ ...message, id: request.message.id });
      return;
    }
    const { progressToken, _meta } = message.params ?? {};
    const subscription = _meta?.[SUBSCRIPTION];
    for (const [id, request] of this.waiting) {
      const isItsProgress =
        progressToken !== undefined && request.message.params?._meta?.progressToken === progressToken;
      if (subscription === id) _meta[SUBSCRIPTION] = request.message.id;
      if (subscription === id || isItsProgress) request.onNotice(message);
    }
  }
}

const shared = new Child();
const sessions = new Map();

function isLocal(request) {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const { host = "", origin } = request.headers;
  return local.test(host) && (origin === undefined || local.test(origin.replace(/^https?:\/\//, "")));
}

function isModern(message, headers) {
  const marks = Object.keys(message.params?._meta ?? {});
  return (
    headers["mcp-protocol-version"] === "2026-07-28" ||
    message.method === "server/discover" ||
    marks.some((mark) => mark.startsWith("io.modelcontextprotocol/"))
  );
}

function headersMismatch(message, headers) {
  const version = message.params?._meta?.[VERSION];
  const stated = headers["mcp-protocol-version"];
  return (
    stated === undefined ||
    (version !== undefined && version !== stated) ||
    headers["mcp-method"] !== message.method ||
    (message.method === "tools/call" && headers["mcp-name"] !== message.params?.name)
  );
}

function statusOf(answer, modern) {
  if (!modern || answer.error === undefined) return 200;
  return answer.error.code === -32601 ? 404 : 400;
}

/** Answers with JSON, or with an event stream as soon as there is something ahead of the answer. */
function forward(child, message, modern, response, headers) {
  let streaming = false;
  let answered = false;
  const emit = (event) => {
    if (!streaming) response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    streaming = true;
    response.write(`event: message\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const id = child.request(message, emit, (answer) => {
    answered = true;
    if (streaming) {
      emit(answer);
      response.end();
    } else {
      send(response, statusOf(answer, modern), answer, headers);
    }
  });
  response.on("close", () => {
    if (!answered) child.forget(id);
  });
}

function send(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function refuse(response, status, id, code, message) {
  send(response, status, { jsonrpc: "2.0", id, error: { code, message } });
}

function handle(text, request, response) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return refuse(response, 400, null, -32700, "not JSON");
  }
  const isRequest = message.method !== undefined && message.id !== undefined;
  const modern = isModern(message, request.headers);
  let child = shared;
  const headers = {};
  if (modern && isRequest && headersMismatch(message, request.headers)) {
    return refuse(response, 400, message.id, -32020, "headers and body differ");
  }
  if (!modern && message.method === "initialize") {
    child = new Child();
    headers["mcp-session-id"] = randomUUID();
    sessions.set(headers["mcp-session-id"], child);
  } else if (!modern) {
    child = sessions.get(request.headers["mcp-session-id"]);
    if (!child) return refuse(response, 404, message.id ?? null, -32600, "no such session");
  }
  if (isRequest) return forward(child, message, modern, response, headers);
  child.write(message);
  response.writeHead(202).end();
}

function close(session) {
  sessions.get(session)?.process.stdin.end();
  return sessions.delete(session) ? 200 : 404;
}

createServer((request, response) => {
  if (!isLocal(request)) return response.writeHead(403).end();
  if (request.method === "DELETE") {
    return response.writeHead(close(request.headers["mcp-session-id"])).end();
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => handle(text, request, response));
}).listen(Number(port), "127.0.0.1", function () {
  console.log(`http://localhost:${this.address().port}/mcp`);
});
