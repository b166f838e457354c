import type { TestContext } from "node:test";
import { json, type Seen, serve } from "./server.js";

/** A JSON document of which nothing more is said. */
export type Loose = { [name: string]: any }; // eslint-disable-line @typescript-eslint/no-explicit-any

/** Model is a server with the protocol of OpenAI and scripted answers. */
export interface Model {
  url: string;
  /** What it was asked, in order. */
  asked: Loose[];
  /** What it says next: messages of chat completions, or items of responses. Nothing left is a failure. */
  says: Loose[];
}

/** model starts a server. */
export async function model(t: TestContext): Promise<Model> {
  const m: Model = { url: "", asked: [], says: [] };
  m.url = await serve(t, (seen: Seen, response) => {
    const body = JSON.parse(seen.body) as Loose;
    m.asked.push(body);
    const said = m.says.shift();
    if (said === undefined) return json(response, { error: { message: "nothing to say" } }, 400);
    const chat = seen.path.endsWith("/chat/completions");
    const id = `${m.asked.length}`;
    if (body["stream"] !== true) {
      if (chat) json(response, { id, object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, finish_reason: "stop", message: said }] }, 200, { "x-request-id": "model-1" });
      else json(response, { id, object: "response", output: said["output"] });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of chat ? chunks(id, said) : [...said["deltas"], { type: "response.completed", response: { id, output: said["output"] } }]) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  return m;
}

/** chunks cuts a message into pieces, as a stream has them. */
function chunks(id: string, said: Loose): Loose[] {
  const deltas: Loose[] = [{ role: "assistant", content: "" }];
  for (const part of String(said["content"] ?? "").match(/.{1,3}/gsu) ?? []) deltas.push({ content: part });
  for (const [index, call] of (said["tool_calls"] ?? []).entries()) {
    deltas.push({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }] });
    for (const part of call.function.arguments.match(/.{1,3}/gsu) ?? []) deltas.push({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  return deltas.map((delta) => ({ id, object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] }));
}

/** Remembered is a server that speaks as Lukasa does, as far as a conversation needs it. */
export interface Remembered {
  url: string;
  packs: Loose[];
  /** Events that were recorded, in order and each once. */
  events: Loose[];
  /** How often an id came that was there. */
  repeated: number;
  /** What a pack says; undefined makes every call fail. */
  text: string | undefined;
}

/** remembered starts a server. */
export async function remembered(t: TestContext): Promise<Remembered> {
  const r: Remembered = { url: "", packs: [], events: [], repeated: 0, text: "" };
  r.url = await serve(t, (seen, response) => {
    const body = JSON.parse(seen.body) as Loose;
    if (r.text === undefined) return void response.destroy();
    if (seen.path === "/v1/pack_text") {
      r.packs.push(body);
      response.writeHead(200, { "content-type": "text/markdown" });
      response.end(r.text);
    } else if (r.events.some((e) => e["event_id"] === body["event_id"])) {
      r.repeated++;
      json(response, { status: 409, code: "id_conflict", detail: "it is there" }, 409);
    } else {
      r.events.push({ ...body, session_id: decodeURIComponent(seen.path.split("/")[3] ?? "") });
      json(response, { event_id: body["event_id"], disposition: "accepted", position: r.events.length });
    }
  });
  return r;
}
