import type { HMXEvent } from "./hmx.js";
import { NoAnswer } from "./problem.js";
import { Again, type Attempts, sleep } from "./wait.js";
import { type Listener, Wire } from "./websocket.js";

/** Ack says what became of an event that was sent over a {@link Socket}. */
export interface Ack {
  event_id: string;
  /** accepted, late, duplicate or refused. */
  disposition: string;
  /** Where it is on record, unless it was refused. */
  position?: number;
  /** Why it was refused. */
  code?: string;
  detail?: string;
  fix?: string;
}

/** SocketOptions say how a socket is used. */
export interface SocketOptions {
  /** Receives the acknowledgement of each event, once each. */
  acked?: (ack: Ack) => void;
  /** How many events may be sent and not acknowledged; 128 unless said. */
  inFlight?: number;
  /** Ends the socket. */
  signal?: AbortSignal;
}

/** Frame is an event on its way. */
interface Frame {
  id: string;
  text: string;
}

/** Dial makes a connection. */
export type Dial = (listener: Listener) => Promise<Wire>;

/**
 * Socket sends events over a WebSocket, each acknowledged when it is on the server's disk.
 * When the connection is lost it connects again and sends what was not acknowledged; the
 * server knows events by their ids, so that none is recorded twice.
 */
export class Socket {
  readonly #dial: Dial;
  readonly #o: SocketOptions;
  readonly #again: Again;
  #queue: Frame[] = []; // not acknowledged, in order
  #flying = new Map<number, Frame>(); // of this connection, by number
  #sent = 0;
  #web: Wire | undefined;
  #failed: unknown;
  #closed = false;
  #waiting: (() => void)[] = [];

  private constructor(dial: Dial, attempts: Attempts, options: SocketOptions) {
    this.#dial = dial;
    this.#o = options;
    this.#again = new Again(attempts);
    options.signal?.addEventListener("abort", () => this.#fail(options.signal?.reason), { once: true });
  }

  /** open connects. */
  static async open(dial: Dial, attempts: Attempts, options: SocketOptions): Promise<Socket> {
    options.signal?.throwIfAborted();
    const socket = new Socket(dial, attempts, options);
    await socket.#connect();
    if (socket.#failed !== undefined) throw socket.#failed;
    return socket;
  }

  /** send sends an event. It returns when there is room in the queue; acked receives the acknowledgement. */
  async send(event: HMXEvent): Promise<void> {
    await this.#when(() => this.#queue.length < (this.#o.inFlight ?? 128));
    const frame = { id: event.event_id, text: JSON.stringify(event) };
    this.#queue.push(frame);
    this.#fly(frame);
  }

  /** flush returns when everything that was sent is acknowledged. */
  async flush(): Promise<void> {
    await this.#when(() => this.#queue.length === 0);
  }

  /** close waits until everything is acknowledged, and ends the socket. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#closed = true;
      this.#web?.close();
      this.#fail(new Error("the socket is closed"));
    }
  }

  async #when(holds: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failed !== undefined) throw this.#failed;
      if (holds()) return;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #fail(error: unknown): void {
    this.#failed ??= error;
    this.#web?.close();
    this.#web = undefined;
    this.#changed();
  }

  #fly(frame: Frame): void {
    if (this.#web === undefined) return; // it is sent with the next connection
    this.#flying.set(this.#sent++, frame);
    this.#web.send(frame.text);
  }

  /** #connect makes a connection, after as many attempts as it takes, and sends what is to be sent again. */
  async #connect(): Promise<void> {
    while (this.#failed === undefined) {
      try {
        const flying = new Map<number, Frame>();
        const state: { ended?: NoAnswer } = {};
        const web = await this.#dial({
          message: (text) => this.#take(text, flying),
          end: (error) => {
            state.ended = error;
            void this.#lost(error, flying);
          },
        });
        if (state.ended !== undefined) throw state.ended; // as soon as it began
        if (this.#failed !== undefined) {
          web.close();
          return;
        }
        this.#web = web;
        this.#flying = flying;
        this.#sent = 0;
        for (const frame of this.#queue) this.#fly(frame);
        return;
      } catch (error) {
        await this.#wait(error);
      }
    }
  }

  async #lost(error: NoAnswer, flying: Map<number, Frame>): Promise<void> {
    if (this.#closed || this.#failed !== undefined || flying !== this.#flying) return;
    this.#web = undefined;
    await this.#wait(error);
    await this.#connect();
  }

  async #wait(error: unknown): Promise<void> {
    const wait = this.#again.after(error, true);
    if (wait === undefined) this.#fail(error);
    else await sleep(wait, this.#o.signal).catch(() => undefined); // the signal has failed it
  }

  /** #take takes one acknowledgement in. */
  #take(text: string, flying: Map<number, Frame>): void {
    const said = JSON.parse(text) as { index: number } & Ack;
    const frame = flying.get(said.index);
    if (frame === undefined) return;
    if (said.disposition === "failed") {
      // It may be sent again, over the next connection.
      this.#web?.close();
      void this.#lost(new NoAnswer(said.detail ?? "an event was not recorded"), flying);
      return;
    }
    flying.delete(said.index);
    this.#again.reset();
    this.#queue.splice(this.#queue.indexOf(frame), 1);
    const { index: _, ...ack } = said;
    this.#o.acked?.({ ...ack, event_id: frame.id });
    this.#changed();
  }
}
