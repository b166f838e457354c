// A client of the official TypeScript library. It is given the URL of a server, or the
// command that serves standard input and output, and prints what it saw as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [how, ...rest] = process.argv.slice(2);
const transport =
  how === "http"
    ? new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: "Bearer a" } } })
    : new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: { ...process.env } });
const client = new Client({ name: "client.mjs", version: "1.0.0" });
await client.connect(transport);

const call = async (name, args) => await client.callTool({ name, arguments: args });
const saw = {};
saw.server = client.getServerVersion().name;
// From here on the library checks structured answers against their schemas.
saw.tools = (await client.listTools()).tools.map((t) => t.name);
saw.remembered = (await call("remember", { key: "release/cadence", text: "Every second Tuesday." })).content[0].text;
saw.recalled = (await call("recall", { key: "release/cadence" })).content[0].text;
saw.found = (await call("search_memories", { query: "release cadence" })).content[0].text;
saw.packed = (await call("pack_context", { topic: "release" })).content[0].text;
saw.bundle = (await call("context", { verb: "deliver" })).content[0].text;
saw.recorded = (await call("record_event", { session_id: "s", event_type: "message", content: { role: "user", text: "Ship it." } })).isError ?? false;
saw.refused = (await call("remember", { key: "x" })).content[0].text;
saw.resources = (await client.listResources()).resources.map((r) => r.uri);
saw.read = (await client.readResource({ uri: "memory://release/cadence" })).contents[0].text;
saw.templates = (await client.listResourceTemplates()).resourceTemplates.length;
saw.prompts = (await client.listPrompts()).prompts.map((p) => p.name);
saw.prompt = (await client.getPrompt({ name: "recall_about", arguments: { topic: "release" } })).messages[0].content.text;
saw.unknown = await call("no_such_tool", {}).then(() => "", (e) => e.code);
await client.ping();
saw.forgot = (await call("forget", { name: "release/cadence" })).content[0].text;
await client.close();
console.log(JSON.stringify(saw));
