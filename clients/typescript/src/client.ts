import type { HMXEvent } from "./hmx.js";
import { type Operations, type OperationName, OperationMethods, type Intake, routes, type Route } from "./operations.js";
import { byteStream, linesOf, type Line } from "./lines.js";
import { type Pages, pagesOf } from "./pages.js";
import { NoAnswer, Problem, problemOf } from "./problem.js";
import { Socket, type SocketOptions } from "./socket.js";
import { type Tailed, tail, type TailRequest } from "./tail.js";
import { Again, type Attempts, sleep, within } from "./wait.js";
import { Wire } from "./websocket.js";

/** Options say how a server is called. */
export interface Options {
  /** The credential: a key, the operator's own token, or a scope token. */
  token?: string;
  /** The tenant that an operator deals with. Other credentials have one of their own. */
  tenant?: string;
  /** A token that narrows what is seen and written. */
  scope?: string;
  /** How often a call is tried at most; 5 unless said, 1 never repeats. */
  attempts?: number;
  /** Bounds of the waits between attempts, in milliseconds, unless the server asks for longer; 100 and 10,000 unless said. */
  minWait?: number;
  maxWait?: number;
  /** How long one attempt may take, in milliseconds; 60,000 unless said, 0 for any time. Streams are not bound by it. */
  timeout?: number;
  /** What does the calls; the fetch of the platform unless said. */
  fetch?: typeof fetch;
}

/** CallOptions say how one call is made. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** How long one attempt may take, in milliseconds. */
  timeout?: number;
  /** The version that a write expects: a number, an ETag, or "*" for any that there is. */
  ifMatch?: number | string;
  /** Of a read, the ETag that the caller has. Of a write, "*" for what must not be there yet. */
  ifNoneMatch?: string;
  /** Another tenant, scope or name in logs than the client's. */
  tenant?: string;
  scope?: string;
  requestId?: string;
  /** How often the call is tried at most. */
  attempts?: number;
}

/** Answer is what was answered, and what was said about it. */
export interface Answer<T> {
  /** What was answered; undefined if notModified. */
  data: T;
  status: number;
  /** Names what was answered, or the version that was written. */
  etag: string | undefined;
  /** What the caller has still holds. */
  notModified: boolean;
  requestId: string | undefined;
}

/** Exchange is one request, as it travels. */
export interface Exchange {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: string;
  media?: string;
  /** Doing it twice is the same as doing it once. */
  again: boolean;
}

/**
 * Lukasa calls one server. It keeps no connection of its own and may be used by many at
 * the same time.
 *
 * A call that is answered was done, and what it wrote is on the server's disk. A call is
 * repeated by itself only where that does no harm: reads, events (which are known by their
 * ids), and what the server refused without doing anything. What the server refuses is
 * thrown as a {@link Problem}, what nothing is known of as {@link NoAnswer}.
 */
export class Lukasa extends OperationMethods {
  readonly #base: string;
  readonly #o: Options;
  readonly #attempts: Attempts;

  /** The address is such as http://127.0.0.1:8373. Nothing is sent yet. */
  constructor(address: string, options: Options = {}) {
    super();
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`${address} is not an address such as http://127.0.0.1:8373`);
    if (url.username !== "" || url.password !== "" || url.search !== "") throw new TypeError("a credential does not belong into the address; use token");
    this.#base = url.origin + url.pathname.replace(/\/$/, "");
    this.#o = options;
    this.#attempts = { attempts: options.attempts ?? 5, minWait: options.minWait ?? 100, maxWait: options.maxWait ?? 10_000 };
  }

  /** call asks an operation by its name. The input has the operation's fields, wherever they belong. */
  override async call<N extends OperationName>(name: N, input: Operations[N]["input"], options: CallOptions = {}): Promise<Operations[N]["answer"]> {
    return (await this.ask(name, input, options)).data;
  }

  /** ask is call with what was said about the answer: its ETag, and whether it was modified. */
  async ask<N extends OperationName>(name: N, input: Operations[N]["input"], options: CallOptions = {}): Promise<Answer<Operations[N]["answer"]>> {
    const route = routes[name];
    if (route === undefined) throw new TypeError(`there is no operation ${name}`);
    const response = await this.exchange(exchangeOf(name, route, input as { [name: string]: unknown }), options);
    const text = await response.text();
    const notModified = response.status === 304;
    const json = (response.headers.get("content-type") ?? "").includes("json");
    return {
      data: (notModified ? undefined : json ? JSON.parse(text) : text) as Operations[N]["answer"],
      status: response.status,
      etag: response.headers.get("etag") ?? undefined,
      notModified,
      requestId: response.headers.get("x-request-id") ?? undefined,
    };
  }

  /**
   * append records events. Good ones are recorded even when others are refused; the answer
   * says which. An event that is there already is a duplicate, so that sending it again
   * does no harm.
   */
  async append(events: HMXEvent | HMXEvent[], options: CallOptions = {}): Promise<Intake> {
    return this.call("ingest", { document: [events].flat() }, options);
  }

  /**
   * ingest records a stream of events of any length, one per line: events or lines as they
   * come. A bad line does not affect the others. It is sent once: to retry, send the stream
   * from its beginning; what was recorded is then a duplicate.
   */
  async ingest(lines: AsyncIterable<Line> | Iterable<Line>, options: CallOptions = {}): Promise<Intake> {
    return (await this.#send("/v1/events", lines, options)) as Intake;
  }

  /** importLines brings in what {@link exportLines} wrote. */
  async importLines(lines: AsyncIterable<Line> | Iterable<Line>, options: CallOptions = {}): Promise<Operations["import"]["answer"]> {
    return (await this.#send("/v1/import", lines, options)) as Operations["import"]["answer"];
  }

  /** exportLines gives everything the tenant has, as lines of JSON. */
  async *exportLines(options: CallOptions = {}): AsyncGenerator<string, void, void> {
    const response = await this.open({ method: "GET", path: "/v1/export", again: true }, options);
    try {
      yield* linesOf(response.body);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new NoAnswer("the export broke off", { cause: error });
    }
  }

  /**
   * tail gives each new event as it is recorded, in order and each once, until its signal
   * ends or the loop does. It connects again when the connection is lost and goes on where
   * it was.
   */
  tail(request: TailRequest = {}, options: CallOptions = {}): AsyncGenerator<Tailed, void, void> {
    return tail(this, this.#attempts, request, options);
  }

  /** openSocket connects a WebSocket to send events over. It needs Node. */
  openSocket(options: SocketOptions = {}): Promise<Socket> {
    const headers = this.headers({});
    return Socket.open((listener) => Wire.dial(`${this.#base}/v1/ingest/ws`, headers, listener, this.#o.timeout ?? 60_000, options.signal), this.#attempts, options);
  }

  /** pages gives the elements of an operation that answers in pages, page by page. */
  pages<N extends keyof Pages>(name: N, input: Operations[N]["input"], options: CallOptions = {}): AsyncGenerator<Pages[N], void, void> {
    return pagesOf(this, name, input, options);
  }

  /** exchange sends a request and returns its answer, after as many attempts as it takes. */
  async exchange(exchange: Exchange, options: CallOptions): Promise<Response> {
    const again = new Again({ ...this.#attempts, attempts: options.attempts ?? this.#attempts.attempts });
    const timeout = options.timeout ?? this.#o.timeout ?? 60_000;
    for (;;) {
      const limit = within(options.signal, timeout);
      try {
        const response = await this.#once(exchange, options, limit.signal);
        // The time holds for the whole answer, which is small here.
        return new Response(response.status === 304 ? null : await response.arrayBuffer(), { status: response.status, headers: response.headers });
      } catch (error) {
        options.signal?.throwIfAborted();
        const failed = limit.over ? new NoAnswer(`there was no answer in ${timeout} ms`) : failure(error);
        const wait = again.after(failed, exchange.again);
        if (wait === undefined) throw failed;
        await sleep(wait, options.signal);
      } finally {
        limit.end();
      }
    }
  }

  /** open sends a request once, and returns its answer before it is read. */
  async open(exchange: Exchange, options: CallOptions, headers: { [name: string]: string } = {}): Promise<Response> {
    try {
      return await this.#once(exchange, options, options.signal, headers);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw failure(error);
    }
  }

  /** headers say who calls, for what. */
  headers(options: CallOptions): { [name: string]: string } {
    const all: { [name: string]: string } = {};
    const set = (name: string, value: string | undefined): void => {
      if (value !== undefined && value !== "") all[name] = value;
    };
    set("authorization", this.#o.token ? `Bearer ${this.#o.token}` : undefined);
    set("x-lukasa-tenant", options.tenant ?? this.#o.tenant);
    set("x-lukasa-scope", options.scope ?? this.#o.scope);
    set("x-request-id", options.requestId);
    set("if-match", tagOf(options.ifMatch));
    set("if-none-match", options.ifNoneMatch === undefined ? undefined : tagOf(options.ifNoneMatch));
    return all;
  }

  /** The address that is called, without a slash at its end. */
  get address(): string {
    return this.#base;
  }

  async #once(exchange: Exchange, options: CallOptions, signal: AbortSignal | undefined, more: { [name: string]: string } = {}): Promise<Response> {
    const headers: { [name: string]: string } = { ...this.headers(options), ...more };
    if (exchange.body !== undefined) headers["content-type"] = exchange.media ?? "application/json";
    const query = exchange.query?.toString() ?? "";
    const response = await (this.#o.fetch ?? fetch)(this.#base + exchange.path + (query === "" ? "" : `?${query}`), {
      method: exchange.method,
      headers,
      redirect: "error",
      ...(exchange.body === undefined ? {} : { body: exchange.body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status >= 300 && response.status !== 304) throw problemOf(response.status, response.headers.get("retry-after"), await response.text());
    return response;
  }

  /** #send sends a body while it is made, once. */
  async #send(path: string, lines: AsyncIterable<Line> | Iterable<Line>, options: CallOptions): Promise<unknown> {
    const source = { failed: undefined as unknown };
    try {
      const response = await (this.#o.fetch ?? fetch)(this.#base + path, {
        method: "POST",
        headers: { ...this.headers(options), "content-type": "application/x-ndjson" },
        redirect: "error",
        body: byteStream(lines, source),
        duplex: "half",
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      } as RequestInit);
      const text = await response.text();
      if (response.status >= 300) throw problemOf(response.status, response.headers.get("retry-after"), text);
      return JSON.parse(text);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (source.failed !== undefined) throw source.failed;
      throw failure(error);
    }
  }
}

/** failure is the error of a call, as a caller sees it. */
function failure(error: unknown): Problem | NoAnswer {
  if (error instanceof Problem || error instanceof NoAnswer) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return new NoAnswer(`no answer: ${error instanceof Error ? error.message : String(error)}${cause}`, { cause: error });
}

/** tagOf writes a version or an ETag as If-Match has it. */
function tagOf(tag: number | string | undefined): string | undefined {
  if (tag === undefined) return undefined;
  const text = String(tag);
  return text === "*" || text.startsWith('"') || text.startsWith("W/") ? text : `"${text}"`;
}

/** exchangeOf puts the fields of a request where they belong. */
function exchangeOf(name: string, route: Route, input: { [name: string]: unknown }): Exchange {
  const rest: { [name: string]: unknown } = {};
  for (const [field, value] of Object.entries(input ?? {})) {
    if (value !== undefined) rest[field] = value;
  }
  let path = route.path;
  for (const field of route.inPath) {
    const value = rest[field];
    if (value === undefined || value === "") throw new TypeError(`${name}: ${field} is missing`);
    path = path.replace(`{${field}}`, encodeURIComponent(String(value)));
    delete rest[field];
  }
  const query = new URLSearchParams();
  for (const field of route.inQuery) {
    if (rest[field] !== undefined) query.set(field, String(rest[field]));
    delete rest[field];
  }
  // An event that names itself is recorded once, however often it is sent.
  const again = route.again || (name === "record_event" && rest["event_id"] !== undefined && rest["timestamp"] !== undefined && rest["sequence"] !== undefined);
  const exchange: Exchange = { method: route.method, path, query, again };
  if (route.body === "document") {
    exchange.body = JSON.stringify(rest["document"]);
    delete rest["document"];
  } else if (route.body === "fields") {
    exchange.body = JSON.stringify(rest);
    return exchange;
  }
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw new TypeError(`${name}: there is no field ${unknown}`);
  return exchange;
}
