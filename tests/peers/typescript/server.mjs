// One tool on the TypeScript SDK's server, on its lower level, which leaves out schemas: what is measured is
// the protocol. Knows nothing of who measures it.

import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/call", async (request) => ({
  content: [{ type: "text", text: request.params.arguments.text }],
}));
await server.connect(new StdioServerTransport());
