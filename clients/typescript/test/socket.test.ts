import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { test, type TestContext } from "node:test";
import { type Ack, type HMXEvent, Lukasa } from "../src/index.js";
import { refuse } from "../support/server.js";

const event = (i: number, text = "hello"): HMXEvent => ({
  hmx_version: "HMX-1.0", event_id: `e${i}`, event_type: "message", agent_id: "a", tenant_id: "acme", session_id: "s", timestamp: "2026-11-01T10:00:00Z", sequence: i,
  content: { role: "user", text }, metadata: {},
});

/** frame is a frame of the server. */
function frame(text: string, kind = 1, last = true): Buffer {
  const data = Buffer.from(text);
  const head = Buffer.alloc(data.length < 126 ? 2 : 4);
  head[0] = (last ? 0x80 : 0) | kind;
  head[1] = Math.min(data.length, 126);
  if (data.length >= 126) head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** texts reads the frames of a client, as they come. */
async function* texts(stream: Duplex): AsyncGenerator<{ kind: number; text: string }> {
  let rest = Buffer.alloc(0);
  for await (const part of stream) {
    rest = Buffer.concat([rest, part as Buffer]);
    for (;;) {
      if (rest.length < 2) break;
      let [size, at] = [rest[1]! & 0x7f, 2];
      if (size === 126 && rest.length >= 4) [size, at] = [rest.readUInt16BE(2), 4];
      else if (size === 127 && rest.length >= 10) [size, at] = [Number(rest.readBigUInt64BE(2)), 10];
      else if (size >= 126) break;
      if (rest.length < at + 4 + size) break;
      const mask = rest.subarray(at, at + 4);
      const data = Buffer.from(rest.subarray(at + 4, at + 4 + size)).map((b, i) => b ^ mask[i & 3]!);
      yield { kind: rest[0]! & 0x0f, text: Buffer.from(data).toString() };
      rest = rest.subarray(at + 4 + size);
    }
  }
}

/** serve starts a server of WebSockets, and returns its address. Without a handler it refuses. */
async function serve(t: TestContext, handler?: (stream: Duplex, request: IncomingMessage) => Promise<void>): Promise<string> {
  const server = createServer((_, response) => refuse(response, 401, "unauthenticated"));
  if (handler !== undefined) {
    server.on("upgrade", (request, stream: Duplex) => {
      stream.on("error", () => undefined);
      t.after(() => stream.destroy());
      const accept = createHash("sha1").update(`${String(request.headers["sec-websocket-key"])}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      stream.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
      handler(stream, request).catch(() => stream.destroy());
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("what was not acknowledged is sent again", async (t) => {
  const came: string[][] = [];
  const url = await serve(t, async (stream, request) => {
    assert.equal(request.headers.authorization, "Bearer secret");
    const list: string[] = [];
    came.push(list);
    stream.write(frame("are you there", 9));
    for await (const { kind, text } of texts(stream)) {
      if (kind === 10) assert.equal(text, "are you there");
      if (kind !== 1) continue;
      const id = (JSON.parse(text) as HMXEvent).event_id;
      list.push(id);
      const ack = JSON.stringify({ index: list.length - 1, event_id: id, disposition: came.length === 2 && id === "e2" ? "failed" : "accepted", position: 7, detail: "x".repeat(200) });
      // In two pieces, of which the second is a continuation.
      stream.write(Buffer.concat([frame(ack.slice(0, 10), 1, false), frame(ack.slice(10), 0)]));
      if (came.length === 1 && list.length === 2) stream.destroy();
    }
  });
  const acks: Ack[] = [];
  const socket = await new Lukasa(url, { token: "secret", minWait: 1, maxWait: 2 }).openSocket({ acked: (ack) => acks.push(ack), inFlight: 3 });
  for (let i = 0; i < 6; i++) await socket.send(event(i, "x".repeat([1, 200, 70_000][i % 3]!)));
  await socket.close();
  assert.deepEqual(acks.map((a) => a.event_id).sort(), ["e0", "e1", "e2", "e3", "e4", "e5"]);
  assert.ok(came.length >= 3, "a failed event is sent over another connection");
  await assert.rejects(socket.send(event(9)), /closed/);
});

test("what a server refuses is a problem", async (t) => {
  await assert.rejects(new Lukasa(await serve(t), { token: "x" }).openSocket(), { name: "Problem", code: "unauthenticated" });
});

test("it gives up when nothing helps, and with its signal", async (t) => {
  const url = await serve(t, async (stream) => void stream.destroy());
  const lukasa = new Lukasa(url, { attempts: 3, minWait: 1, maxWait: 2 });
  const socket = await lukasa.openSocket();
  await assert.rejects(async () => {
    await socket.send(event(1));
    await socket.flush();
  }, { name: "NoAnswer" });
  const stop = new AbortController();
  const other = await new Lukasa(await serve(t, async (stream) => void (await texts(stream).next())), {}).openSocket({ signal: stop.signal });
  await other.send(event(1));
  stop.abort(new Error("enough"));
  await assert.rejects(other.flush(), /enough/);
});

test("a connection that ends as it begins is replaced", async (t) => {
  let connections = 0;
  const url = await serve(t, async (stream) => {
    if (++connections < 3) {
      stream.end(frame("\u0003\u0000draining", 8)); // with the answer, in one piece
      return;
    }
    let index = 0;
    for await (const { kind, text } of texts(stream)) {
      if (kind === 1) stream.write(frame(JSON.stringify({ index: index++, event_id: (JSON.parse(text) as HMXEvent).event_id, disposition: "accepted", position: 1 })));
    }
  });
  const socket = await new Lukasa(url, { minWait: 1, maxWait: 2 }).openSocket();
  await socket.send(event(1));
  await socket.close();
  assert.equal(connections, 3);
});

test("a server that does not answer, or without end, is not waited for", async (t) => {
  const silent = createServer();
  silent.on("upgrade", (_, stream: Duplex) => t.after(() => stream.destroy()));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => silent.close());
  await assert.rejects(new Lukasa(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, { attempts: 1, timeout: 50 }).openSocket(), { name: "NoAnswer" });
  const url = await serve(t, async (stream) => {
    for await (const _ of texts(stream)) for (let i = 0; i < 40; i++) stream.write(frame("x".repeat(30_000), i === 0 ? 1 : 0, false));
  });
  const socket = await new Lukasa(url, { attempts: 2, minWait: 1, maxWait: 2 }).openSocket();
  await socket.send(event(1));
  await assert.rejects(socket.flush(), /more than 1048576 bytes/);
});
