import type { Lukasa } from "./client.js";
import { chatMessages, eventsOf, type Message, responseItems, type ToolCall, type ToRecord } from "./messages.js";
import { NoAnswer, Problem } from "./problem.js";

/** WrapOptions say what is remembered of a conversation, and where. */
export interface WrapOptions {
  lukasa: Lukasa;
  /** The session that the conversation is recorded as. */
  session: string;
  /** The agent that is spoken with. An agent's key has one of its own. */
  agent?: string;
  /** How many tokens a pack may have; 2,000 unless said, 0 puts none in. */
  budget?: number;
  /** Whether the conversation is recorded; it is unless this is false. */
  record?: boolean;
  /** How long the model may have to wait for a pack, in milliseconds; 5,000 unless said. */
  timeout?: number;
  /** Receives errors of the memory, which never break a call of the model. The default is a warning on the console. */
  onTrouble?: (error: unknown, during: "pack" | "record") => void;
}

/** Body is a request to a model, of which few members matter here. */
type Body = { [name: string]: unknown };
type Method = (body: Body, ...rest: unknown[]) => unknown;

/** Dialect is how one interface of a model writes a conversation. */
interface Dialect {
  /** What is there before the first message. */
  before(body: Body): string;
  messages(body: Body): Message[];
  /** The request with a text for the model in it. */
  prepend(body: Body, text: string): Body;
  answer(answer: unknown): Message[];
  /** Collects what a stream says. */
  collect(): { add(chunk: unknown): void; messages(): Message[] };
}

/** flushes are the ends of what is being recorded, by wrapped client. */
const flushes = new WeakMap<object, () => Promise<void>>();

/**
 * wrap returns an object that behaves as a client of an OpenAI-compatible server does, and
 * remembers: before chat.completions.create and responses.create it puts a pack for the
 * user's last message into the request, after it the messages, tool calls and tool results
 * are recorded, each once.
 */
export function wrap<C extends object>(client: C, options: WrapOptions): C {
  const memory = new Memory(options);
  const wrapped = around(client, {
    chat: (chat) => around(chat, { completions: (c) => around(c, { create: (f) => memory.remembering(f, chatDialect), parse: (f) => memory.remembering(f, chatDialect) }) }),
    responses: (r) => around(r, { create: (f) => memory.remembering(f, responsesDialect), parse: (f) => memory.remembering(f, responsesDialect) }),
    withOptions: (f) => ((...args: unknown[]) => wrap((f as unknown as (...args: unknown[]) => object)(...args), options)) as unknown as object,
  });
  flushes.set(wrapped, () => memory.flush());
  return wrapped;
}

/** flush returns when everything that a wrapped client had to record was recorded, or was reported as trouble. */
export async function flush(wrapped: object): Promise<void> {
  await flushes.get(wrapped)?.();
}

/** around is an object with some of its members replaced. All else is the object's own. */
function around<T extends object>(target: T, members: { [name: string]: (own: object) => object | Method }): T {
  const made = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get(_, name) {
      if (made.has(name)) return made.get(name);
      const own: unknown = Reflect.get(target, name, target);
      const replace = typeof name === "string" ? members[name] : undefined;
      let value = own;
      if (typeof own === "function") value = own.bind(target) as unknown; // it may have private fields
      if (replace !== undefined && (typeof own === "object" || typeof own === "function") && own !== null) value = replace(value as object);
      if (value !== own) made.set(name, value);
      return value;
    },
  });
}

/** Memory is what a wrapped client remembers with. */
class Memory {
  readonly #o: WrapOptions;
  #queue: Promise<void> = Promise.resolve();
  #sent = new Set<string>();
  #known = new Set<string>();
  #pack = { key: "", text: "" };

  constructor(o: WrapOptions) {
    this.#o = o;
  }

  /** flush waits for what is being recorded. */
  flush(): Promise<void> {
    return this.#queue;
  }

  /** remembering returns a method that does what the given one does, and remembers. */
  remembering(method: object, dialect: Dialect): Method {
    return (body, ...rest) => {
      // What a model client returns can be awaited, and more; so it must not be awaited here.
      const started = this.#prepare(body, dialect).then((prepared) => ({ call: (method as Method)(prepared, ...rest) }));
      return new Remembered(started, async (call) => {
        let answer: unknown;
        try {
          answer = await call;
        } catch (error) {
          this.#record(body, dialect, []);
          throw error;
        }
        if (body["stream"] === true) return this.#listen(answer, body, dialect);
        this.#record(body, dialect, this.#safely(() => dialect.answer(answer)) ?? []);
        return answer;
      });
    };
  }

  /** #prepare returns a request with a pack in it, if there is one. */
  async #prepare(body: Body, dialect: Dialect): Promise<Body> {
    const budget = this.#o.budget ?? 2000;
    if (budget <= 0) return body;
    try {
      const messages = dialect.messages(body);
      const asked = messages.filter((m) => m.role === "user" && m.text !== "");
      const query = asked.at(-1)?.text;
      if (query === undefined) return body;
      // While tools are called the question is the same, and so is the beginning of the prompt.
      const key = `${asked.length} ${query}`;
      if (this.#pack.key !== key) {
        const text = await this.#ask(query, budget);
        this.#pack = { key, text };
      }
      return this.#pack.text === "" ? body : dialect.prepend(body, this.#pack.text);
    } catch (error) {
      this.#trouble(error, "pack");
      return body;
    }
  }

  /** #ask asks for a pack as the block that the server knows again. */
  async #ask(query: string, budget: number): Promise<string> {
    const limit = AbortSignal.timeout(this.#o.timeout ?? 5000);
    await Promise.race([this.#queue, new Promise((resolve) => limit.addEventListener("abort", resolve, { once: true }))]);
    const agent = this.#o.agent === undefined ? {} : { agent_id: this.#o.agent };
    return this.#o.lukasa.call("pack_text", { query, session_id: this.#o.session, ...agent, budget, marked: true }, { signal: limit });
  }

  /** #listen lets a stream through and records what it said when it ends. */
  #listen(stream: unknown, body: Body, dialect: Dialect): unknown {
    const parts = stream as { iterator?: () => AsyncIterator<unknown>; [Symbol.asyncIterator]?: () => AsyncIterator<unknown> };
    if (typeof parts !== "object" || parts === null || typeof parts[Symbol.asyncIterator] !== "function") return stream;
    // The official client has its other ways to read a stream go through this one.
    const name = typeof parts.iterator === "function" ? "iterator" : Symbol.asyncIterator;
    const original = (parts[name] as () => AsyncIterator<unknown>).bind(stream);
    const record = (said: Message[]): void => this.#record(body, dialect, said);
    const safely = <T>(work: () => T): T | undefined => this.#safely(work);
    async function* listening(): AsyncGenerator<unknown, void, void> {
      const collected = dialect.collect();
      let understood = true; // what is not is let through all the same, and told once
      try {
        for await (const chunk of { [Symbol.asyncIterator]: original }) {
          understood &&= safely(() => (collected.add(chunk), true)) ?? false;
          yield chunk;
        }
      } finally {
        record(safely(() => collected.messages()) ?? []);
      }
    }
    Object.defineProperty(stream, name, { value: listening, configurable: true, writable: true });
    return stream;
  }

  /** #record queues what is new of a conversation. */
  #record(body: Body, dialect: Dialect, said: Message[]): void {
    if (this.#o.record === false) return;
    const work = async (): Promise<void> => {
      try {
        const messages = [...dialect.messages(body), ...said];
        const events = await eventsOf(this.#o.session, dialect.before(body), messages, this.#known);
        for (const event of events) {
          // What is not sent now is sent with the next call.
          if (!this.#sent.has(event.event_id) && !(await this.#send(event, body))) return;
        }
      } catch (error) {
        this.#trouble(error, "record");
      }
    };
    this.#queue = this.#queue.then(work);
  }

  /** #send records one event, and says whether the next one is worth trying. One that is there already is as good as recorded. */
  async #send(event: ToRecord, body: Body): Promise<boolean> {
    const model = typeof body["model"] === "string" ? { model: body["model"] } : {};
    const { print, ...said } = event;
    const input = { ...said, session_id: this.#o.session, source: "openai-client", metadata: model, ...(this.#o.agent === undefined ? {} : { agent_id: this.#o.agent }) };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#o.lukasa.call("record_event", input, { attempts: 2, timeout: this.#o.timeout ?? 5000 });
        break;
      } catch (error) {
        if (error instanceof Problem && error.code === "id_conflict") break;
        if (error instanceof NoAnswer && attempt === 1) continue;
        this.#trouble(error, "record");
        const refused = error instanceof Problem && error.status < 500 && ![401, 403, 429].includes(error.status);
        if (refused) this.#sent.add(event.event_id); // it would be again
        return refused;
      }
    }
    this.#sent.add(event.event_id);
    this.#known.add(print);
    return true;
  }

  /** #safely does something that must not break a call of the model. */
  #safely<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#trouble(error, "record");
      return undefined;
    }
  }

  #trouble(error: unknown, during: "pack" | "record"): void {
    try {
      if (this.#o.onTrouble !== undefined) this.#o.onTrouble(error, during);
      else console.warn(`lukasa: ${during}: ${error instanceof Error ? error.message : String(error)}`);
    } catch {
      // Who wants to hear of trouble must not make more of it.
    }
  }
}

/** Remembered is what a call returns: a promise with what the promise of the model's client has besides. */
class Remembered extends Promise<unknown> {
  readonly #started: Promise<{ call: unknown }>;
  readonly #after: (call: unknown) => Promise<unknown>;
  #answer: Promise<unknown> | undefined;

  constructor(started: Promise<{ call: unknown }>, after: (call: unknown) => Promise<unknown>) {
    super((resolve) => resolve(undefined)); // what it becomes is said by then
    this.#started = started;
    this.#after = after;
    started.catch(() => undefined); // the caller that awaits it gets the error
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #parsed(): Promise<unknown> {
    this.#answer ??= this.#started.then(({ call }) => this.#after(call));
    return this.#answer;
  }

  override then<A = unknown, B = never>(good?: ((value: unknown) => A | PromiseLike<A>) | null, bad?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.#parsed().then(good, bad);
  }

  override catch<B = never>(bad?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    return this.#parsed().catch(bad);
  }

  override finally(done?: (() => void) | null): Promise<unknown> {
    return this.#parsed().finally(done);
  }

  /** asResponse is the raw answer; what it says is not recorded. */
  async asResponse(): Promise<unknown> {
    return ((await this.#started).call as { asResponse(): Promise<unknown> }).asResponse();
  }

  async withResponse(): Promise<unknown> {
    const { call } = await this.#started;
    const all = await (call as { withResponse(): Promise<object> }).withResponse();
    return { ...all, data: await this.#parsed() };
  }
}

/** chatDialect is how chat completions are written. */
const chatDialect: Dialect = {
  before: () => "",
  messages: (body) => chatMessages(body["messages"]),
  prepend(body, text) {
    const messages = [...(body["messages"] as Body[])];
    let at = messages.findIndex((m) => m["role"] !== "system" && m["role"] !== "developer");
    if (at < 0) at = messages.length;
    messages.splice(at, 0, { role: "system", content: text });
    return { ...body, messages };
  },
  answer: (answer) => chatMessages([(answer as { choices?: { message?: unknown }[] }).choices?.[0]?.message]),
  collect() {
    let text = "";
    const calls: ToolCall[] = [];
    return {
      add(chunk) {
        const delta = (chunk as { choices?: { index?: number; delta?: Body }[] }).choices?.find((c) => (c.index ?? 0) === 0)?.delta;
        if (typeof delta?.["content"] === "string") text += delta["content"];
        if (typeof delta?.["refusal"] === "string") text += delta["refusal"];
        for (const part of (delta?.["tool_calls"] ?? []) as { index?: number; id?: string; function?: { name?: string; arguments?: string } }[]) {
          const call = (calls[part.index ?? 0] ??= { id: "", name: "", arguments: "" });
          call.id ||= part.id ?? "";
          call.name += part.function?.name ?? "";
          call.arguments += part.function?.arguments ?? "";
        }
      },
      messages: () => said(text, calls.filter(Boolean)),
    };
  },
};

/** responsesDialect is how the Responses interface writes a conversation. */
const responsesDialect: Dialect = {
  before: (body) => (typeof body["previous_response_id"] === "string" ? body["previous_response_id"] : ""),
  messages: (body) => responseItems(body["input"]),
  prepend: (body, text) => ({ ...body, instructions: typeof body["instructions"] === "string" ? `${body["instructions"]}\n\n${text}` : text }),
  answer: (answer) => responseItems((answer as { output?: unknown }).output),
  collect() {
    let done: Message[] = [];
    let text = "";
    return {
      add(chunk) {
        const event = chunk as { type?: string; delta?: unknown; response?: { output?: unknown } };
        if (event.type === "response.output_text.delta" && typeof event.delta === "string") text += event.delta;
        if (event.type === "response.completed") done = responseItems(event.response?.output);
      },
      messages: () => (done.length > 0 ? done : said(text, [])),
    };
  },
};

/** said is a message of the assistant, if it says anything. */
function said(text: string, calls: ToolCall[]): Message[] {
  return text.trim() === "" && calls.length === 0 ? [] : [{ role: "assistant", text: text.trim(), attachments: [], calls, callId: "" }];
}
