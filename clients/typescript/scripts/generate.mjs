// Makes src/operations.ts of the description of the interface (../openapi.json), which the
// server gives at /openapi.json:
//
//	node scripts/generate.mjs            writes the file
//	node scripts/generate.mjs --check    fails if the file is another one
//
// The same description always makes the same file.
import { readFileSync, writeFileSync } from "node:fs";

const source = new URL("../../openapi.json", import.meta.url);
const target = new URL("../src/operations.ts", import.meta.url);

// What is answered in several places has a name of its own: that of the operation which
// answers it, or a better one from here.
const names = { recall: "Thing", remember: "Write", ingest: "Intake", root: "State", search: "Searched", context: "Bundle", list_events: "Events", list_memories: "Things" };
// Documents that are described elsewhere, in src/hmx.ts.
const documents = { pack: "Pack" };

/** pascal turns list_memories into ListMemories. */
const pascal = (name) => name.split("_").map((part) => part[0].toUpperCase() + part.slice(1)).join("");
/** camel turns list_memories into listMemories. */
const camel = (name) => name.split("_").map((part, i) => (i === 0 ? part : part[0].toUpperCase() + part.slice(1))).join("");
const member = (name) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : JSON.stringify(name));

/** operations returns what the description has, in the order of names. */
export function operations(api) {
  const list = [];
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      list.push(operation(path, method.toUpperCase(), described));
    }
  }
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function operation(path, method, described) {
  const own = (described.parameters ?? []).filter((p) => p.name);
  const shared = (described.parameters ?? []).filter((p) => p.$ref).map((p) => p.$ref.split("/").pop());
  const bodies = described.requestBody?.content ?? {};
  const body = bodies["application/json"]?.schema;
  const [media, answer] = Object.entries(described.responses["200"]?.content ?? {})[0] ?? ["", undefined];
  const fields = body?.properties !== undefined || (body !== undefined && body.additionalProperties === false);
  const stream = "application/x-ndjson" in bodies || media === "text/event-stream" || media === "application/x-ndjson" || media === "";
  return {
    name: described.operationId,
    summary: described.summary,
    path,
    method,
    parameters: own,
    body: Object.keys(bodies).length === 0 ? "none" : fields ? "fields" : "document",
    schema: body,
    optional: described.requestBody !== undefined && described.requestBody.required !== true,
    media,
    answer: answer?.schema,
    stream,
    // What changes nothing takes no If-Match.
    again: method === "GET" || !shared.includes("IfMatch"),
  };
}

/** generate returns the file. */
export function generate(api) {
  const ops = operations(api);
  const named = new Map(); // canonical schema to name
  const declared = [];
  const order = [...ops].sort((a, b) => Number(b.name in names) - Number(a.name in names));
  for (const op of order) {
    if (op.answer?.properties === undefined || op.stream && !(op.name in names)) continue;
    const key = JSON.stringify(op.answer);
    if (named.has(key)) continue;
    const name = names[op.name] ?? `${pascal(op.name)}Answer`;
    named.set(key, name);
    declared.push([name, op.answer, op.name]);
  }
  declared.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const out = [
    "// Made by scripts/generate.mjs of ../openapi.json. Do not edit.",
    'import type { CallOptions } from "./client.js";',
    'import type { HMXEvent, Pack } from "./hmx.js";',
    "",
    "/** A JSON object of which nothing more is known. */",
    "export type JSONObject = { [name: string]: unknown };",
    "",
  ];
  const type = (schema, indent, self) => typeOf(schema, indent, named, self);
  for (const [name, schema, op] of declared) {
    out.push(`/** ${name} is what ${op} answers. */`, `export interface ${name} ${objectOf(schema, "", named)}`, "");
  }
  const inputs = [];
  for (const op of ops) {
    const input = inputOf(op, type);
    if (input !== undefined) {
      out.push(`/** ${pascal(op.name)}Input is what ${op.name} is asked with. */`, `export interface ${pascal(op.name)}Input ${input}`, "");
    }
    inputs.push([op, input === undefined ? "Record<string, never>" : `${pascal(op.name)}Input`]);
  }
  out.push("/** Operations are all operations of the interface, by name: what they are asked with, and what they answer. */", "export interface Operations {");
  for (const [op, input] of inputs) {
    out.push(`  /** ${op.summary} */`, `  ${op.name}: { input: ${input}; answer: ${answerOf(op, type)} };`);
  }
  out.push("}", "", "/** OperationName is the name of an operation. */", "export type OperationName = keyof Operations;", "", ...routesOf(ops), ...methodsOf(inputs, type));
  return out.join("\n") + "\n";
}

/** inputOf is the type of a request, or undefined if nothing can be said in it. */
function inputOf(op, type) {
  const lines = [];
  const add = (name, schema, required, about) => {
    if (about) lines.push(`  /** ${about.replaceAll("*/", "* /")} */`);
    lines.push(`  ${member(name)}${required ? "" : "?"}: ${type(schema, "  ")};`);
  };
  for (const p of op.parameters) add(p.name, p.schema, p.required === true, p.description);
  if (op.body === "fields") {
    for (const [name, schema] of Object.entries(op.schema.properties ?? {})) add(name, schema, (op.schema.required ?? []).includes(name), schema.description);
  }
  if (op.body === "document") {
    lines.push("  /** The document that is the whole body. */", `  document${op.optional ? "?" : ""}: ${op.name === "verify_pack" ? "Pack" : op.name === "ingest" ? "HMXEvent | HMXEvent[]" : "JSONObject"};`);
  }
  return lines.length === 0 ? undefined : `{\n${lines.join("\n")}\n}`;
}

function answerOf(op, type) {
  if (op.name in documents) return documents[op.name];
  if (op.media === "" || op.media === "text/event-stream") return "never";
  if (op.media !== "application/json") return "string";
  return type(op.answer, "  ");
}

function typeOf(schema, indent, named, self) {
  if (schema.oneOf) return schema.oneOf.map((s) => typeOf(s, indent, named)).join(" | ");
  if (schema.enum) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return "unknown";
  return types.map((t) => plain(t, schema, indent, named, self)).join(" | ");
}

function plain(t, schema, indent, named) {
  switch (t) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return t;
    case "array": {
      const item = typeOf(schema.items ?? {}, indent, named);
      return /[|]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      if (schema.properties) {
        const key = JSON.stringify(schema);
        return named.get(key) ?? objectOf(schema, indent, named);
      }
      if (schema.additionalProperties && typeof schema.additionalProperties === "object") return `{ [name: string]: ${typeOf(schema.additionalProperties, indent, named)} }`;
      return "JSONObject";
    default:
      throw new Error(`a schema has the type ${t}, which is not known here`);
  }
}

function objectOf(schema, indent, named) {
  const lines = [];
  for (const [name, s] of Object.entries(schema.properties)) {
    lines.push(`${indent}  ${member(name)}${(schema.required ?? []).includes(name) ? "" : "?"}: ${typeOf(s, indent + "  ", named)};`);
  }
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function routesOf(ops) {
  const out = [
    "/** Route is how an operation is called. */",
    "export interface Route {",
    "  method: string;",
    "  path: string;",
    "  /** Names that stand in the path, and in the query. */",
    "  inPath: readonly string[];",
    "  inQuery: readonly string[];",
    "  /** What the body is: the other names, one document, or nothing. */",
    '  body: "none" | "fields" | "document";',
    "  /** Whether doing it twice is the same as doing it once. */",
    "  again: boolean;",
    "  /** What is answered. */",
    "  media: string;",
    "}",
    "",
    "/** routes are those of all operations. */",
    "export const routes: { readonly [N in OperationName]: Route } = {",
  ];
  for (const op of ops) {
    const where = (place) => JSON.stringify(op.parameters.filter((p) => p.in === place).map((p) => p.name));
    out.push(`  ${op.name}: { method: "${op.method}", path: "${op.path}", inPath: ${where("path")}, inQuery: ${where("query")}, body: "${op.body}", again: ${op.again}, media: "${op.media}" },`);
  }
  out.push("};", "");
  return out;
}

/** methodsOf is a class with a method for each operation that is a call and an answer. */
function methodsOf(inputs) {
  const out = [
    "/** OperationMethods has a method for each operation that is one call and one answer. */",
    "export abstract class OperationMethods {",
    "  /** call asks an operation by its name. */",
    "  abstract call<N extends OperationName>(name: N, input: Operations[N][\"input\"], options?: CallOptions): Promise<Operations[N][\"answer\"]>;",
  ];
  for (const [op, input] of inputs) {
    if (op.stream) continue;
    const required = op.parameters.some((p) => p.required) || (op.body === "document" && !op.optional) || (op.body === "fields" && (op.schema.required ?? []).length > 0);
    const parameter = required ? `input: ${input}` : `input: ${input} = {}`;
    out.push("", `  /** ${op.summary} */`, `  ${camel(op.name)}(${parameter}, options?: CallOptions): Promise<Operations["${op.name}"]["answer"]> {`, `    return this.call("${op.name}", input, options);`, "  }");
  }
  out.push("}");
  return out;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const made = generate(JSON.parse(readFileSync(source, "utf8")));
  if (!process.argv.includes("--check")) {
    writeFileSync(target, made);
  } else if (readFileSync(target, "utf8") !== made) {
    console.error("src/operations.ts is stale: run node scripts/generate.mjs");
    process.exit(1);
  }
}
