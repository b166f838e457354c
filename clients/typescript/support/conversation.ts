// Runs the conversation that all clients have in common against a server:
//
//	LUKASA_TOKEN=… node dist/support/conversation.js ADDRESS TENANT FILE
//
// It prints a line for each step, and ends with 1 at the first that goes wrong.
import { readFileSync } from "node:fs";
import { type Ack, type CallOptions, flush, type HMXEvent, Lukasa, memoryResult, type OperationName, Problem, type ToolUse, wrap } from "../src/index.js";

type Values = { [name: string]: unknown };
interface Step {
  about: string;
  only?: string[];
  call: string;
  with: Values;
  options?: { if_match?: number | string; if_none_match?: string; token?: string; attempts?: number };
  expect?: unknown;
  problem?: unknown;
  not_modified?: boolean;
  keep?: { [name: string]: string };
  keep_etag?: string;
}

/** filled puts what was kept into a request or an expectation. */
function filled(value: unknown, names: Values): unknown {
  if (Array.isArray(value)) return value.map((v) => filled(v, names));
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v, names)]));
  if (typeof value !== "string") return value;
  if (value.startsWith("$") && value.slice(1) in names) return names[value.slice(1)];
  return value.replace(/\$([a-z]+)/g, (all, name: string) => (name in names ? String(names[name]) : all));
}

/** differs says where an answer is not as expected, or nothing. */
function differs(want: unknown, got: unknown, path = "answer"): string {
  const text = JSON.stringify(got);
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return `${path} is ${text}, not a list of ${want.length}`;
    return want.map((v, i) => differs(v, got[i], `${path}[${i}]`)).find((d) => d !== "") ?? "";
  }
  if (typeof want === "object" && want !== null) {
    const [first, ...more] = Object.entries(want);
    if (first !== undefined && more.length === 0 && first[0].startsWith("$")) return compared(first[0], first[1], got, path);
    if (typeof got !== "object" || got === null) return `${path} is ${text}, not an object`;
    return Object.entries(want).map(([k, v]) => differs(v, (got as Values)[k], `${path}.${k}`)).find((d) => d !== "") ?? "";
  }
  return want === (got ?? null) ? "" : `${path} is ${text}, not ${JSON.stringify(want)}`;
}

function compared(how: string, want: unknown, got: unknown, path: string): string {
  const ways: { [how: string]: () => boolean } = {
    $any: () => got !== undefined && got !== null,
    $has: () => (typeof got === "string" ? got.includes(String(want)) : Array.isArray(got) && got.some((g) => differs(want, g) === "")),
    $len: () => Array.isArray(got) && got.length === want,
    $min: () => typeof got === "number" && got >= Number(want),
    $max: () => typeof got === "number" && got <= Number(want),
  };
  return ways[how]?.() ? "" : `${path} is ${JSON.stringify(got)}, and not ${how} ${JSON.stringify(want)}`;
}

interface Said {
  answer: unknown;
  etag?: string | undefined;
  notModified?: boolean;
}

/** run makes the call of a step, with the methods that a program would use. */
async function run(client: Lukasa, step: Step, options: CallOptions): Promise<Said> {
  const given = step.with;
  switch (step.call) {
    case "append":
      return { answer: await client.append(given["events"] as HMXEvent[], options) };
    case "lines":
      return { answer: await client.ingest(given["lines"] as HMXEvent[], options) };
    case "pages": {
      const elements: unknown[] = [];
      for await (const element of client.pages(given["of"] as "list_events", given["input"] as object, options)) elements.push(element);
      return { answer: { elements } };
    }
    case "tail": {
      const { count, ...asked } = given;
      const events: unknown[] = [];
      for await (const tailed of client.tail(asked, options)) {
        if (events.push(tailed) === count) break;
      }
      return { answer: { events } };
    }
    case "export": {
      const lines: string[] = [];
      for await (const line of client.exportLines(options)) lines.push(line);
      return { answer: { lines } };
    }
    case "socket": {
      const acks: Ack[] = [];
      const socket = await client.openSocket({ acked: (ack) => acks.push(ack) });
      for (const event of given["events"] as HMXEvent[]) await socket.send(event);
      await socket.close();
      return { answer: { acks: acks.sort((a, b) => (a.event_id < b.event_id ? -1 : 1)) } };
    }
    case "wrapped":
      return { answer: await wrapped(client, given) };
    case "memory_result":
      return { answer: await memoryResult(client, given as unknown as ToolUse, options) };
  }
  if (step.keep_etag === undefined && step.not_modified === undefined) {
    const method = step.call.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return { answer: await (client as unknown as { [name: string]: (input: Values, options: CallOptions) => Promise<unknown> })[method]!(given, options) };
  }
  const said = await client.ask(step.call as OperationName, given as never, options);
  return { answer: said.data, etag: said.etag, notModified: said.notModified };
}

/** wrapped runs a model with scripted answers, and returns what it was asked. */
async function wrapped(lukasa: Lukasa, given: Values): Promise<unknown> {
  const troubles: string[] = [];
  let messages: unknown;
  const model = {
    chat: {
      completions: {
        create: async (body: Values): Promise<unknown> => {
          messages = body["messages"];
          return { choices: [{ message: given["says"] }] };
        },
      },
    },
  };
  const remembering = wrap(model, {
    lukasa, session: String(given["session"]), agent: String(given["agent"]), budget: Number(given["budget"]), onTrouble: (error) => troubles.push(String(error)),
  });
  await remembering.chat.completions.create({ model: "m", messages: given["messages"] });
  await flush(remembering);
  return { messages, troubles };
}

async function main(address: string, tenant: string, file: string): Promise<number> {
  const script = JSON.parse(readFileSync(file, "utf8")) as { given: Values; steps: Step[] };
  const names: Values = { tenant };
  Object.assign(names, filled(script.given, names));
  for (const [i, written] of script.steps.entries()) {
    const step = filled(written, names) as Step;
    if (step.only?.includes("typescript") === false) {
      console.log(`ok ${i} left out`);
      continue;
    }
    const client = new Lukasa(address, { token: step.options?.token ?? process.env["LUKASA_TOKEN"] ?? "", tenant, ...(step.options?.attempts === undefined ? {} : { attempts: step.options.attempts }) });
    const options: CallOptions = {
      ...(step.options?.if_match === undefined ? {} : { ifMatch: step.options.if_match }),
      ...(step.options?.if_none_match === undefined ? {} : { ifNoneMatch: step.options.if_none_match }),
    };
    let said: Said = { answer: undefined };
    let wrong: string;
    try {
      said = await run(client, step, options);
      if (step.problem !== undefined) wrong = `it was answered with ${JSON.stringify(said.answer)}`;
      else if (step.not_modified === true) wrong = said.notModified === true ? "" : "it was modified";
      else wrong = differs(step.expect, said.answer);
    } catch (error) {
      if (!(error instanceof Problem) || step.problem === undefined) wrong = String(error);
      else wrong = differs(step.problem, { status: error.status, code: error.code, field: error.field }, "problem");
    }
    if (wrong !== "") {
      console.error(`step ${i}, ${step.about} (${step.call}): ${wrong}`);
      return 1;
    }
    for (const [name, path] of Object.entries(step.keep ?? {})) {
      names[name] = path === "" ? said.answer : path.split(".").reduce<unknown>((value, part) => (value as Values)[part], said.answer);
    }
    if (step.keep_etag !== undefined) names[step.keep_etag] = said.etag;
    console.log(`ok ${i} ${step.call}`);
  }
  return 0;
}

const [address = "", tenant = "", file = ""] = process.argv.slice(2);
process.exitCode = await main(address, tenant, file);
