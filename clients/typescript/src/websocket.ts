import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { NoAnswer, problemOf } from "./problem.js";

/** Kinds of frames of RFC 6455. */
const more = 0;
const text = 1;
const close = 8;
const ping = 9;
const pong = 10;

/** guid is what both ends put behind the key. */
const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** longest is how large a message of the server may be. */
const longest = 1 << 20;

/** Listener hears what comes over a WebSocket: messages, and its end, once. */
export interface Listener {
  message(text: string): void;
  end(error: NoAnswer): void;
}

/**
 * Wire is one connection, which texts are sent over and come from. That of the
 * platform cannot say who calls, and Node 20 has none.
 */
export class Wire {
  readonly #stream: Duplex;
  readonly #listener: Listener;
  readonly #mask: (size: number) => Uint8Array;
  #rest: Buffer = Buffer.alloc(0);
  #message: Buffer[] = [];
  #size = 0; // of what there is of a message
  #ended = false;

  private constructor(stream: Duplex, listener: Listener, mask: (size: number) => Uint8Array) {
    this.#stream = stream;
    this.#listener = listener;
    this.#mask = mask;
    stream.on("data", (data: Buffer) => this.#read(data));
    stream.on("error", (error) => this.#end(error.message));
    stream.on("close", () => this.#end("the socket broke off"));
  }

  /** dial asks a server to speak WebSocket. */
  static async dial(address: string, headers: { [name: string]: string }, listener: Listener, timeout: number, signal?: AbortSignal): Promise<Wire> {
    const { createHash, randomBytes } = await import("node:crypto");
    const { request } = address.startsWith("https:") ? await import("node:https") : await import("node:http");
    const key = randomBytes(16).toString("base64");
    const accept = createHash("sha1").update(key + guid).digest("base64");
    return new Promise((resolve, reject) => {
      const asked = request(address, {
        headers: { ...headers, connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key },
        ...(signal === undefined ? {} : { signal }),
      });
      const limit = setTimeout(() => asked.destroy(new Error(`there was none in ${timeout} ms`)), timeout);
      asked.on("close", () => clearTimeout(limit));
      asked.on("error", (error) => reject(new NoAnswer(`no answer: ${error.message}`, { cause: error })));
      asked.on("upgrade", (answer: IncomingMessage, stream: Duplex, head: Buffer) => {
        clearTimeout(limit);
        if (answer.headers["sec-websocket-accept"] !== accept) {
          stream.destroy();
          reject(new NoAnswer("the server does not speak WebSocket"));
          return;
        }
        const web = new Wire(stream, listener, randomBytes);
        resolve(web);
        if (head.length > 0) web.#read(head);
      });
      asked.on("response", (answer: IncomingMessage) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => reject(problemOf(answer.statusCode ?? 500, answer.headers["retry-after"] ?? null, Buffer.concat(parts).toString())));
        answer.on("error", (error) => reject(new NoAnswer(error.message)));
      });
      asked.end();
    });
  }

  /** send sends one message. */
  send(message: string): void {
    this.#send(Buffer.from(message), text);
  }

  /** close says good-bye, and lets go of the connection. */
  close(): void {
    if (!this.#ended) this.#send(Buffer.from([0x03, 0xe8]), close);
    this.#ended = true;
    this.#stream.end(() => this.#stream.destroy()); // the other end may never say good-bye
  }

  #send(data: Buffer, kind: number): void {
    const head = Buffer.alloc(14);
    head[0] = 0x80 | kind;
    let at = 2;
    if (data.length < 126) {
      head[1] = 0x80 | data.length;
    } else if (data.length < 1 << 16) {
      head[1] = 0x80 | 126;
      at = head.writeUInt16BE(data.length, 2);
    } else {
      head[1] = 0x80 | 127;
      at = head.writeBigUInt64BE(BigInt(data.length), 2);
    }
    const mask = this.#mask(4);
    head.set(mask, at);
    const masked = Buffer.alloc(data.length);
    for (let i = 0; i < data.length; i++) masked[i] = data[i]! ^ mask[i & 3]!;
    this.#stream.write(Buffer.concat([head.subarray(0, at + 4), masked]));
  }

  /** #read takes bytes in, and what is whole of them as frames. */
  #read(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    while (!this.#ended && this.#rest.length >= 2) {
      let size = this.#rest[1]! & 0x7f;
      let at = 2;
      if (size === 126) {
        if (this.#rest.length < 4) return;
        size = this.#rest.readUInt16BE(2);
        at = 4;
      } else if (size === 127) {
        if (this.#rest.length < 10) return;
        size = Number(this.#rest.readBigUInt64BE(2));
        at = 10;
      }
      if (size > longest) return this.#end(`a frame of the server has ${size} bytes`);
      if (this.#rest.length < at + size) return;
      const first = this.#rest[0]!;
      const frame = this.#rest.subarray(at, at + size);
      this.#rest = this.#rest.subarray(at + size);
      this.#frame((first & 0x80) !== 0, first & 0x0f, frame);
    }
  }

  #frame(last: boolean, kind: number, data: Buffer): void {
    if (kind === ping) this.#send(data, pong);
    else if (kind === close) this.#end(`the server has closed the socket: ${data.subarray(2).toString()}`);
    else if (kind === text || kind === more) {
      this.#message.push(data);
      this.#size += data.length;
      if (this.#size > longest) return this.#end(`a message of the server has more than ${longest} bytes`);
      if (!last) return;
      const message = Buffer.concat(this.#message).toString();
      this.#message = [];
      this.#size = 0;
      this.#listener.message(message);
    }
  }

  #end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stream.destroy();
    this.#listener.end(new NoAnswer(why));
  }
}
