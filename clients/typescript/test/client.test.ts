import assert from "node:assert/strict";
import { test } from "node:test";
import { type HMXEvent, Lukasa, NoAnswer, Problem } from "../src/index.js";
import { json, refuse, serve } from "../support/server.js";

const quick = { token: "secret", tenant: "acme", minWait: 1, maxWait: 2 };
const event = (i: number): HMXEvent => ({
  hmx_version: "HMX-1.0", event_id: `e${i}`, event_type: "message", agent_id: "a", tenant_id: "acme", session_id: "s", timestamp: "2026-11-01T10:00:00Z", sequence: i,
  content: { role: "user", text: `hello ${i}` }, metadata: {},
});

test("a call says who calls, and what for", async (t) => {
  const url = await serve(t, (seen, response) => {
    assert.equal(seen.headers.authorization, "Bearer secret");
    assert.equal(seen.headers["x-lukasa-tenant"], "acme");
    assert.equal(seen.headers["x-lukasa-scope"], "narrow");
    assert.equal(seen.headers["x-request-id"], "mine");
    json(response, { method: seen.method, path: seen.path, query: Object.fromEntries(seen.query), body: seen.body });
  });
  const lukasa = new Lukasa(`${url}/`, { ...quick, scope: "narrow" });
  const said = async (answer: Promise<unknown>): Promise<unknown> => answer;
  const options = { requestId: "mine" };
  assert.deepEqual(await said(lukasa.recall({ key: "a/b c", version: 2 }, options)), { method: "GET", path: "/v1/memories/a%2Fb%20c", query: { version: "2" }, body: "" });
  assert.deepEqual(await said(lukasa.putMemory({ key: "k", text: "x" }, options)), { method: "PUT", path: "/v1/memories/k", query: {}, body: '{"text":"x"}' });
  assert.deepEqual(await said(lukasa.importFingerprint({ private: true, document: { a: 1 } }, options)), { method: "POST", path: "/v1/fingerprints", query: { private: "true" }, body: '{"a":1}' });
  assert.deepEqual(await said(lukasa.deleteMemory({ key: "k", reason: "r" }, options)), { method: "DELETE", path: "/v1/memories/k", query: { reason: "r" }, body: "" });
  await assert.rejects(lukasa.recall({ key: "" }), TypeError);
  await assert.rejects(lukasa.call("root", { no: 1 } as never), /no field no/);
  await assert.rejects(lukasa.call("nothing" as "root", {}), /no operation nothing/);
});

test("addresses with a credential, or that are none, are refused", () => {
  for (const address of ["http://a:b@localhost", "http://localhost?token=x", "ftp://localhost", "localhost"]) assert.throws(() => new Lukasa(address), TypeError, address);
});

test("what is refused is a problem, and is tried again where that helps", async (t) => {
  const cases: { about: string; status: number; code: string; call: (l: Lukasa) => Promise<unknown>; calls: number }[] = [
    { about: "overloaded read", status: 503, code: "overloaded", call: (l) => l.pack({ query: "x" }), calls: 3 },
    { about: "overloaded write", status: 503, code: "overloaded", call: (l) => l.remember({ text: "x" }), calls: 3 },
    { about: "rate", status: 429, code: "rate_limited", call: (l) => l.remember({ text: "x" }), calls: 3 },
    { about: "quota", status: 429, code: "over_quota", call: (l) => l.remember({ text: "x" }), calls: 1 },
    { about: "failed read", status: 500, code: "internal", call: (l) => l.search({ query: "x" }), calls: 3 },
    { about: "failed write", status: 500, code: "internal", call: (l) => l.remember({ text: "x" }), calls: 1 },
    { about: "events are known by their ids", status: 500, code: "internal", call: (l) => l.append(event(1)), calls: 3 },
    { about: "an event that is complete", status: 500, code: "internal", call: (l) => l.recordEvent({ session_id: "s", event_type: "message", content: {}, event_id: "e", timestamp: "2026-11-01T10:00:00Z", sequence: 1 }), calls: 3 },
    { about: "an event that is not", status: 500, code: "internal", call: (l) => l.recordEvent({ session_id: "s", event_type: "message", content: {} }), calls: 1 },
    { about: "refused", status: 422, code: "invalid_argument", call: (l) => l.pack({ query: "x" }), calls: 1 },
  ];
  for (const c of cases) {
    let calls = 0;
    const url = await serve(t, (_, response) => {
      calls++;
      refuse(response, c.status, c.code);
    });
    const error = await c.call(new Lukasa(url, { ...quick, attempts: 3 })).then(() => assert.fail(c.about), (e: unknown) => e);
    assert.ok(error instanceof Problem, c.about);
    assert.deepEqual([error.status, error.code, error.detail, error.fix, error.field, error.requestId, error.title], [c.status, c.code, "told to", "nothing", "query", "r-1", "A title."]);
    assert.equal(calls, c.calls, c.about);
  }
});

test("it waits as long as the server asks for", async (t) => {
  let calls = 0;
  const url = await serve(t, (_, response) => {
    if (++calls === 1) refuse(response, 503, "overloaded", { "retry-after": "1" });
    else json(response, { size: 1 });
  });
  const from = performance.now();
  await new Lukasa(url, quick).root();
  assert.ok(performance.now() - from >= 950);
  assert.equal(calls, 2);
});

test("what is no problem of the server becomes one", async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(400, { "content-type": "text/html" });
    response.end("<p>a proxy</p>");
  });
  await assert.rejects(new Lukasa(url, quick).root(), { name: "Problem", code: "http_400", status: 400, message: /a proxy/ });
});

test("a lost connection is no answer, and reads are tried again", async (t) => {
  let calls = 0;
  const url = await serve(t, (_, response) => {
    if (++calls < 3) response.destroy();
    else json(response, { size: 3 });
  });
  assert.equal((await new Lukasa(url, quick).root()).size, 3);
  calls = 0;
  await assert.rejects(new Lukasa(url, quick).remember({ text: "x" }), NoAnswer);
  assert.equal(calls, 1);
});

test("an answer that breaks off is no answer", async (t) => {
  let calls = 0;
  const url = await serve(t, (seen, response) => {
    if (++calls === 2) return void response.end("whole");
    response.writeHead(200, seen.path === "/v1/export" ? {} : { "content-length": "8" });
    response.write("half\n", () => response.destroy());
  });
  const lukasa = new Lukasa(url, quick);
  assert.equal(await lukasa.packText({ query: "x" }), "whole");
  await assert.rejects(lukasa.packText({ query: "x" }, { attempts: 1 }), NoAnswer);
  await assert.rejects(async () => {
    for await (const line of lukasa.exportLines()) assert.equal(line, "half");
  }, NoAnswer);
});

test("time is limited, and a signal ends a call", async (t) => {
  const url = await serve(t, () => undefined);
  await assert.rejects(new Lukasa(url, { ...quick, attempts: 1 }).root({}, { timeout: 20 }), NoAnswer);
  const stop = new AbortController();
  const call = new Lukasa(url, quick).root({}, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, (error) => error === stop.signal.reason);
  await assert.rejects(new Lukasa(url, quick).root({}, { signal: AbortSignal.abort(new Error("before")) }), /before/);
});

test("writes expect versions, reads say what they have", async (t) => {
  const url = await serve(t, (seen, response) => {
    if (seen.headers["if-none-match"] === '"2-abc"') {
      response.writeHead(304, { etag: '"2-abc"' });
      response.end();
    } else {
      json(response, { match: seen.headers["if-match"], none: seen.headers["if-none-match"] }, 200, { etag: '"2-abc"' });
    }
  });
  const lukasa = new Lukasa(url, quick);
  const put = async (options: object): Promise<unknown> => lukasa.putMemory({ key: "k", text: "x" }, options);
  assert.deepEqual(await put({ ifMatch: 2 }), { match: '"2"' });
  assert.deepEqual(await put({ ifMatch: '"2-abc"' }), { match: '"2-abc"' });
  assert.deepEqual(await put({ ifMatch: "*" }), { match: "*" });
  assert.deepEqual(await put({ ifNoneMatch: "*" }), { none: "*" });
  const first = await lukasa.ask("recall", { key: "k" });
  assert.equal(first.etag, '"2-abc"');
  const second = await lukasa.ask("recall", { key: "k" }, { ifNoneMatch: first.etag! });
  assert.deepEqual([second.notModified, second.data, second.status], [true, undefined, 304]);
});

test("lines are sent while they are made", async (t) => {
  let first: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (first = resolve));
  const url = await serve(
    t,
    async (seen, response, request) => {
      assert.equal(seen.headers["content-type"], "application/x-ndjson");
      let body = "";
      for await (const part of request) {
        body += String(part);
        first();
      }
      json(response, { accepted: body.trimEnd().split("\n").length, body });
    },
    { whole: false },
  );
  async function* lines(): AsyncGenerator<HMXEvent | string> {
    yield event(0);
    await arrived; // it would never be, if all had to be made before the first is sent
    yield "as it is\n";
    yield event(1);
  }
  const said = (await new Lukasa(url, quick).ingest(lines())) as unknown as { accepted: number; body: string };
  assert.equal(said.accepted, 3);
  assert.equal(said.body, `${JSON.stringify(event(0))}\nas it is\n${JSON.stringify(event(1))}\n`);
});

test("what making lines throws is thrown", async (t) => {
  const url = await serve(t, (_, response) => json(response, {}));
  const broken = async function* (): AsyncGenerator<string> {
    yield "{}";
    throw new RangeError("no more");
  };
  await assert.rejects(new Lukasa(url, quick).ingest(broken()), RangeError);
});

test("a tail goes on where it was", async (t) => {
  const asked: (string | undefined)[] = [];
  const block = (i: number): string => `id: ${i}\nevent: hmx\ndata: ${JSON.stringify(event(i))}\n\n`;
  const url = await serve(t, (seen, response) => {
    asked.push(seen.headers["last-event-id"] as string | undefined);
    assert.equal(seen.query.toString(), "session=s&from=0");
    response.writeHead(200, { "content-type": "text/event-stream" });
    switch (asked.length) {
      case 1: // two events, of which the second comes in pieces, and a broken connection
        response.write(`: hello\n\n${block(3)}${block(4).slice(0, 20)}`);
        setImmediate(() => response.write(block(4).slice(20), () => response.destroy()));
        break;
      case 2: // a comment that moves the place on, and a server on its way down
        response.end(`: still here\nid: 9\n\nevent: end\ndata: {"status":503,"code":"overloaded","detail":"down"}\n\n`);
        break;
      case 3:
        response.end(block(10));
        break;
      default:
        response.end('event: end\ndata: {"status":401,"code":"unauthenticated","detail":"revoked"}\n\n');
    }
  });
  const positions: number[] = [];
  await assert.rejects(async () => {
    for await (const { position, event: e } of new Lukasa(url, quick).tail({ session: "s", from: 0 })) {
      assert.equal(e.event_id, `e${position}`);
      positions.push(position);
    }
  }, { code: "unauthenticated" });
  assert.deepEqual(positions, [3, 4, 10]);
  assert.deepEqual(asked, [undefined, "4", "9", "10"]);
});

test("a tail that gets no further is given up", async (t) => {
  let connections = 0;
  const url = await serve(t, (_, response) => {
    connections++;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('retry: 1\n\nevent: end\ndata: {"status":500,"code":"damaged","detail":"broken"}\n\n');
  });
  await assert.rejects(async () => {
    for await (const _ of new Lukasa(url, { ...quick, attempts: 3 }).tail());
  }, { name: "Problem", code: "damaged" });
  assert.ok(connections <= 3, `${connections} connections`);
});

test("a tail ends with its loop or its signal", async (t) => {
  let open = 0;
  const url = await serve(t, (_, response) => {
    open++;
    response.on("close", () => open--);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`id: 1\ndata: ${JSON.stringify(event(1))}\n\n`);
  });
  for await (const _ of new Lukasa(url, quick).tail()) break;
  const stop = new AbortController();
  for await (const _ of new Lukasa(url, quick).tail({}, { signal: stop.signal })) stop.abort();
  while (open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
});

test("pages are asked for one by one", async (t) => {
  const asked: string[] = [];
  const url = await serve(t, (seen, response) => {
    asked.push(seen.query.toString());
    const after = Number(seen.query.get("after") ?? 0);
    json(response, { memories: [{ uri: `m${after}` }, { uri: `m${after + 1}` }], next: after < 4 ? String(after + 2) : null });
  });
  const lukasa = new Lukasa(url, quick);
  const all: string[] = [];
  for await (const memory of lukasa.pages("list_memories", { limit: 2 })) all.push(memory.uri);
  assert.deepEqual(all, ["m0", "m1", "m2", "m3", "m4", "m5"]);
  for await (const _ of lukasa.pages("list_memories", { limit: 2 })) break;
  assert.deepEqual(asked, ["limit=2", "limit=2&after=2", "limit=2&after=4", "limit=2"]);
});

test("an export comes line by line, and goes back in", async (t) => {
  const url = await serve(t, (seen, response) => {
    if (seen.path === "/v1/import") json(response, { imported: seen.body.split("\n").length - 1 });
    else response.end('{"a":"ü"}\r\n{"b":2}\n');
  });
  const lukasa = new Lukasa(url, quick);
  const lines: string[] = [];
  for await (const line of lukasa.exportLines()) lines.push(line);
  assert.deepEqual(lines, ['{"a":"ü"}', '{"b":2}']);
  assert.equal((await lukasa.importLines(lines)).imported, 2);
});
