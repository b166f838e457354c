import type { CallOptions, Lukasa } from "./client.js";
import type { HMXEvent } from "./hmx.js";
import { linesOf } from "./lines.js";
import { NoAnswer, Problem, type ProblemBody } from "./problem.js";
import { Again, type Attempts, sleep } from "./wait.js";

/** TailRequest says which events are followed. */
export interface TailRequest {
  /** These leave out all others. */
  session?: string;
  agent?: string;
  type?: string;
  /** The first position that is wanted; only new events unless said. */
  from?: number;
}

/** Tailed is an event of a tail and its position. */
export interface Tailed {
  position: number;
  event: HMXEvent;
}

/** Block is one block of a stream of server-sent events. */
interface Block {
  kind: string;
  id: string;
  data: string;
}

/** tail follows events over as many connections as it takes. */
export async function* tail(client: Lukasa, attempts: Attempts, request: TailRequest, options: CallOptions): AsyncGenerator<Tailed, void, void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const again = new Again(attempts);
  let last = "";
  for (;;) {
    let wait: number | undefined;
    try {
      const headers: { [name: string]: string } = { accept: "text/event-stream" };
      if (last !== "") headers["last-event-id"] = last;
      const response = await client.open({ method: "GET", path: "/v1/events/stream", query, again: true }, options, headers);
      for await (const block of blocksOf(response.body)) {
        if (block.id !== "" && block.id !== last) {
          last = block.id;
          again.reset(); // it goes on
        }
        if (block.kind === "end") throw endOf(block.data);
        if (block.data !== "") yield { position: Number(block.id), event: JSON.parse(block.data) as HMXEvent };
      }
      wait = again.backoff(); // the server has ended it
    } catch (error) {
      if (options.signal?.aborted) return;
      const failed = error instanceof Problem || error instanceof SyntaxError ? error : new NoAnswer("the stream broke off", { cause: error });
      wait = again.after(failed, true);
      if (wait === undefined) throw failed;
    }
    try {
      await sleep(wait, options.signal);
    } catch {
      return; // the signal has ended it
    }
  }
}

/** endOf is the problem that a stream ends with. */
function endOf(data: string): Problem {
  const body = JSON.parse(data) as ProblemBody;
  return new Problem(body.status ?? 500, body, (body.retry_after ?? 0) * 1000);
}

/** blocksOf reads the blocks of a stream. Comments that have an id are blocks without data. */
async function* blocksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Block, void, void> {
  let block: Block = { kind: "", id: "", data: "" };
  for await (const line of linesOf(body)) {
    if (line === "") {
      yield block;
      block = { kind: "", id: "", data: "" };
      continue;
    }
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "event") block.kind = value;
    else if (name === "id") block.id = value;
    else if (name === "data") block.data = block.data === "" ? value : `${block.data}\n${value}`;
  }
}
