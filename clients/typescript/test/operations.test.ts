import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Lukasa, routes } from "../src/index.js";

const root = new URL("../../", import.meta.url);
interface Api {
  paths: { [path: string]: { [method: string]: { operationId: string } } };
}
const api = JSON.parse(readFileSync(new URL("../openapi.json", root), "utf8")) as Api;

/** Streams have methods of their own. */
const streams: { [operation: string]: keyof Lukasa } = { ingest: "ingest", tail_events: "tail", export: "exportLines", import: "importLines", ingest_ws: "openSocket" };

test("src/operations.ts is made of the interface", async () => {
  const { generate } = (await import(new URL("scripts/generate.mjs", root).href)) as { generate(api: Api): string };
  assert.equal(readFileSync(new URL("src/operations.ts", root), "utf8"), generate(api), "it is stale: run node scripts/generate.mjs");
});

test("every operation can be reached", () => {
  const client = new Lukasa("http://localhost");
  const names = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })));
  for (const { path, method, operationId } of names) {
    const route = routes[operationId as keyof typeof routes];
    assert.deepEqual([route.method, route.path], [method.toUpperCase(), path]);
    const name = streams[operationId] ?? operationId.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    assert.equal(typeof (client as unknown as { [name: string]: unknown })[name], "function", `${operationId} has no method ${name}`);
  }
  assert.equal(Object.keys(routes).length, names.length);
});
