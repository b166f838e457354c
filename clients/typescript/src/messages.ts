import type { JSONObject } from "./operations.js";

/** Message is one message of a conversation, whichever interface it came through. */
export interface Message {
  role: "user" | "assistant" | "tool";
  text: string;
  attachments: JSONObject[];
  /** What the assistant asks to be done. */
  calls: ToolCall[];
  /** Which call this is the result of. */
  callId: string;
}

/** ToolCall is one call of a tool. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** Loose is a message of a caller, whose shape is not checked yet. */
type Loose = { [name: string]: unknown };

const string = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.filter((v): v is Loose => typeof v === "object" && v !== null) : []);

/** chatMessages reads the messages of chat completions. Those of the system are left out; what Lukasa put in the server knows again. */
export function chatMessages(messages: unknown): Message[] {
  const out: Message[] = [];
  for (const m of list(messages)) {
    const role = m["role"] === "function" ? "tool" : m["role"];
    if (role !== "user" && role !== "assistant" && role !== "tool") continue;
    out.push({ role, ...contentOf(m["content"]), calls: callsOf(m["tool_calls"]), callId: string(m["tool_call_id"]) || string(m["name"]) });
  }
  return out;
}

/** responseItems reads the items of the Responses interface, of a request or an answer. */
export function responseItems(input: unknown): Message[] {
  if (typeof input === "string") return [{ role: "user", ...contentOf(input), calls: [], callId: "" }];
  const out: Message[] = [];
  for (const item of list(input)) {
    const none = { text: "", attachments: [], calls: [], callId: "" };
    if (item["type"] === "function_call") {
      out.push({ ...none, role: "assistant", calls: [{ id: string(item["call_id"]), name: string(item["name"]), arguments: string(item["arguments"]) }] });
    } else if (item["type"] === "function_call_output") {
      out.push({ ...none, role: "tool", ...contentOf(item["output"]), callId: string(item["call_id"]) });
    } else if (item["role"] === "user" || item["role"] === "assistant") {
      out.push({ ...none, role: item["role"], ...contentOf(item["content"]) });
    }
  }
  return out;
}

function callsOf(calls: unknown): ToolCall[] {
  return list(calls).map((call) => {
    const f = (call["function"] ?? call["custom"] ?? {}) as Loose;
    return { id: string(call["id"]), name: string(f["name"]), arguments: string(f["arguments"]) || string(f["input"]) };
  });
}

/** contentOf reads text, or a list of parts of which some are text. */
function contentOf(content: unknown): { text: string; attachments: JSONObject[] } {
  if (typeof content === "string") return { text: content.trim(), attachments: [] };
  const texts: string[] = [];
  const attachments: JSONObject[] = [];
  for (const part of list(content)) {
    const text = string(part["text"]) || string(part["refusal"]);
    if (text !== "") {
      texts.push(text);
    } else {
      const url = string((part["image_url"] as Loose | undefined)?.["url"]) || string(part["image_url"]);
      attachments.push({ type: string(part["type"]), ...(/^https?:/.test(url) ? { url } : {}) });
    }
  }
  return { text: texts.join("\n").trim(), attachments };
}

/** ToRecord is an event of a conversation, without what the server fills in. */
export interface ToRecord {
  event_id: string;
  event_type: "message" | "tool_call" | "tool_result";
  content: JSONObject;
  /** The hash of the message that it is of. */
  print: string;
}

/**
 * eventsOf turns a conversation into events. The id of each is made of what it says, of
 * what was said before it, and of how often that came already: so the same message of a
 * list that grows, or of which the beginning was cut off, is one event. Of the first
 * message the one before is not known; known are the prints of those that were recorded,
 * and it is left out if it is among them.
 */
export async function eventsOf(session: string, before: string, messages: Message[], known: ReadonlySet<string>): Promise<ToRecord[]> {
  const out: ToRecord[] = [];
  const times = new Map<string, number>();
  const tools = new Map<string, string>();
  let previous = before;
  for (const [i, m] of messages.entries()) {
    const print = await digest([m.role, m.text, JSON.stringify(m.attachments), m.callId, ...m.calls.flatMap((c) => [c.id, c.name, c.arguments])]);
    const place = previous + print;
    const time = times.get(place) ?? 0;
    times.set(place, time + 1);
    for (const call of m.calls) tools.set(call.id, call.name);
    const cut = i === 0 && messages.length > 1 && known.has(print);
    if (!cut) {
      const id = await digest([session, previous, print, String(time)]);
      for (const [j, event] of describe(m, tools).entries()) out.push({ event_id: `chat-${id.slice(0, 32)}-${j}`, print, ...event });
    }
    previous = print;
  }
  return out;
}

type Described = Pick<ToRecord, "event_type" | "content">;

/** describe returns what a message is as events: what is said, and each call of a tool. */
function describe(m: Message, tools: Map<string, string>): Described[] {
  if (m.role === "tool") {
    const name = tools.get(m.callId);
    return [{ event_type: "tool_result", content: { ...(name ? { tool_name: name } : {}), call_id: m.callId, result: { text: m.text } } }];
  }
  const out: Described[] = [];
  if (m.text !== "" || m.attachments.length > 0) {
    out.push({ event_type: "message", content: { role: m.role, text: m.text, ...(m.attachments.length > 0 ? { attachments: m.attachments } : {}) } });
  }
  for (const call of m.calls) out.push({ event_type: "tool_call", content: { tool_name: call.name, arguments: argumentsOf(call.arguments), call_id: call.id } });
  return out;
}

/** argumentsOf reads the arguments of a call, which have to be an object. */
function argumentsOf(text: string): JSONObject {
  try {
    const read: unknown = JSON.parse(text === "" ? "{}" : text);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as JSONObject;
  } catch {
    // A model may write what is no JSON.
  }
  return { text };
}

/** digest is a hash of texts, each with its length before it. */
async function digest(texts: string[]): Promise<string> {
  const encoder = new TextEncoder();
  const parts = texts.flatMap((text) => {
    const bytes = encoder.encode(text);
    return [encoder.encode(`${bytes.length}:`), bytes];
  });
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return Array.from(hash, (b) => b.toString(16).padStart(2, "0")).join("");
}
