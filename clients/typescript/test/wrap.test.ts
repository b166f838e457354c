import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import OpenAI from "openai";
import { flush, Lukasa, wrap, type WrapOptions } from "../src/index.js";
import { type Loose, model, type Model, remembered, type Remembered } from "../support/model.js";

// A block as the server marks it. Its key is the server's, and the server alone knows it again.
const known = "Memory (Lukasa#493027716): recalled for this prompt, not said by the user.\n- Known.\n(end)";
const knownLine = known.split("\n")[1] ?? "";

interface Talk {
  client: OpenAI;
  m: Model;
  r: Remembered;
  troubles: string[];
}

/** talk returns a wrapped client between two servers. */
async function talk(t: TestContext, options: Partial<WrapOptions> = {}): Promise<Talk> {
  const [m, r] = [await model(t), await remembered(t)];
  const troubles: string[] = [];
  const lukasa = new Lukasa(r.url, { minWait: 1, maxWait: 2 });
  const client = wrap(new OpenAI({ apiKey: "x", baseURL: `${m.url}/v1`, maxRetries: 0 }), {
    lukasa, session: "s 1", agent: "porter", budget: 500, onTrouble: (error, during) => troubles.push(`${during}: ${String(error)}`), ...options,
  });
  return { client, m, r, troubles };
}

const call = (id: string, name: string, args: string): Loose => ({ id, type: "function", function: { name, arguments: args } });
const told = (r: Remembered): unknown[] => r.events.map((e) => [e["event_type"], e["content"]]);

test("a pack is put in, and what is said is recorded once", async (t) => {
  const { client, m, r, troubles } = await talk(t);
  const block = "Memory (Lukasa#493027716): recalled.\n## Facts\n- A parcel weighs 30 kg at most.\n(end)";
  r.text = block;
  m.says = [{ role: "assistant", content: "30 kg." }, { role: "assistant", content: "Two." }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "How heavy may a parcel be?" },
  ];
  const first = await client.chat.completions.create({ model: "m", messages });
  assert.equal(first.choices[0]?.message.content, "30 kg.");
  assert.equal(messages.length, 2, "the caller's own list is left alone");
  assert.deepEqual(m.asked[0]?.["messages"], [
    messages[0],
    { role: "system", content: block },
    messages[1],
  ]);
  assert.deepEqual(r.packs[0], { query: "How heavy may a parcel be?", session_id: "s 1", agent_id: "porter", budget: 500, marked: true });

  messages.push(first.choices[0]!.message, { role: "user", content: [{ type: "text", text: "And how many?" }, { type: "image_url", image_url: { url: "https://example.com/a.png" } }] });
  await client.chat.completions.create({ model: "m", messages });
  await flush(client);
  assert.deepEqual(told(r), [
    ["message", { role: "user", text: "How heavy may a parcel be?" }],
    ["message", { role: "assistant", text: "30 kg." }],
    ["message", { role: "user", text: "And how many?", attachments: [{ type: "image_url", url: "https://example.com/a.png" }] }],
    ["message", { role: "assistant", text: "Two." }],
  ]);
  assert.deepEqual([r.repeated, troubles], [0, []]);
  assert.deepEqual(r.events.map((e) => [e["session_id"], e["agent_id"], e["source"], e["metadata"]])[0], ["s 1", "porter", "openai-client", { model: "m" }]);
});

test("tool calls and their results, streamed or not", async (t) => {
  for (const stream of [false, true]) {
    const { client, m, r, troubles } = await talk(t);
    r.text = "- Known.";
    m.says = [
      { role: "assistant", content: "I look. ☂", tool_calls: [call("c1", "weigh", '{"parcel": 7}'), call("c2", "shout", "no JSON")] },
      { role: "assistant", content: "29.5 kg." },
    ];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weigh parcel 7." }];
    const ask = async (): Promise<string> => {
      if (!stream) return (await client.chat.completions.create({ model: "m", messages })).choices[0]?.message.content ?? "";
      let text = "";
      for await (const chunk of await client.chat.completions.create({ model: "m", messages, stream: true })) text += chunk.choices[0]?.delta.content ?? "";
      return text;
    };
    assert.equal(await ask(), "I look. ☂");
    messages.push(
      { role: "assistant", content: "I look. ☂", tool_calls: [call("c1", "weigh", '{"parcel": 7}'), call("c2", "shout", "no JSON")] as OpenAI.ChatCompletionMessageToolCall[] },
      { role: "tool", tool_call_id: "c1", content: "29.5 kg" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "quiet" }] },
    );
    assert.equal(await ask(), "29.5 kg.");
    await flush(client);
    assert.deepEqual(told(r), [
      ["message", { role: "user", text: "Weigh parcel 7." }],
      ["message", { role: "assistant", text: "I look. ☂" }],
      ["tool_call", { tool_name: "weigh", arguments: { parcel: 7 }, call_id: "c1" }],
      ["tool_call", { tool_name: "shout", arguments: { text: "no JSON" }, call_id: "c2" }],
      ["tool_result", { tool_name: "weigh", call_id: "c1", result: { text: "29.5 kg" } }],
      ["tool_result", { tool_name: "shout", call_id: "c2", result: { text: "quiet" } }],
      ["message", { role: "assistant", text: "29.5 kg." }],
    ]);
    assert.equal(r.packs.length, 1, "while tools are called the pack stays");
    assert.deepEqual(m.asked[0]?.["messages"][0], m.asked[1]?.["messages"][0]);
    assert.deepEqual([r.repeated, troubles], [0, []]);
  }
});

test("another client of the same session records nothing twice", async (t) => {
  const { client, m, r } = await talk(t, { budget: 0 });
  m.says = Array.from({ length: 4 }, (_, i) => ({ role: "assistant", content: `answer ${i < 3 ? 1 : 2}` }));
  const ask = (c: OpenAI, ...texts: string[]): Promise<unknown> => c.chat.completions.create({ model: "m", messages: texts.map((content) => ({ role: content === "yes" ? "user" : "assistant", content }) as OpenAI.ChatCompletionMessageParam) });
  await ask(client, "yes");
  await ask(client, "yes"); // asked again, as after a lost answer
  await flush(client);
  assert.equal(r.events.length, 2);
  const troubles: string[] = [];
  const other = wrap(new OpenAI({ apiKey: "x", baseURL: `${m.url}/v1`, maxRetries: 0 }), { lukasa: new Lukasa(r.url), session: "s 1", agent: "porter", budget: 0, onTrouble: (error) => troubles.push(String(error)) });
  await ask(other, "yes", "answer 1", "yes"); // the same words, said again
  await flush(other);
  assert.equal(r.events.length, 4);
  assert.equal(r.repeated, 2);
  await ask(other, "answer 1", "yes"); // of which the beginning was cut off
  await flush(other);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["yes", "answer 1", "yes", "answer 1", "answer 2"]);
  assert.deepEqual(troubles, [], "what is there already is no trouble");
});

test("ids are those of the other clients", async (t) => {
  const { client, m, r } = await talk(t, { budget: 0 });
  m.says = [{ role: "assistant", content: "☂ ok", tool_calls: [call("c1", "weigh", "{}")] }];
  await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "yes" }] });
  await flush(client);
  // The Python client has the same.
  assert.deepEqual(r.events.map((e) => e["event_id"]), ["chat-dce56e327a2484b4033b602d1360b4f9-0", "chat-4ef9482a04d27dfd4cffb8f53742ffe1-0", "chat-4ef9482a04d27dfd4cffb8f53742ffe1-1"]);
});

test("text is sent as it is, for the server to cut", async (t) => {
  const { client, m, r } = await talk(t);
  r.text = "- Known.";
  m.says = [{ role: "assistant", content: `Mine.\n${knownLine}` }];
  await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: `${known}\nWhat is known?` }] });
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), [`${known}\nWhat is known?`, `Mine.\n${knownLine}`]);
  assert.equal(r.packs[0]?.["query"], `${known}\nWhat is known?`);
});

test("trouble with memory breaks nothing", async (t) => {
  const { client, m, r, troubles } = await talk(t);
  r.text = undefined;
  m.says = [{ role: "assistant", content: "Fine." }, { role: "assistant", content: "Good." }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "How are you?" }];
  assert.equal((await client.chat.completions.create({ model: "m", messages })).choices[0]?.message.content, "Fine.");
  await flush(client);
  assert.deepEqual(troubles.map((s) => s.split(":")[0]), ["pack", "record"]);
  assert.deepEqual(m.asked[0]?.["messages"], messages);
  // When it is back, what was not recorded is.
  r.text = "";
  messages.push({ role: "assistant", content: "Fine." }, { role: "user", content: "And now?" });
  await client.chat.completions.create({ model: "m", messages });
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["How are you?", "Fine.", "And now?", "Good."]);
  assert.deepEqual(m.asked[1]?.["messages"], messages, "an empty pack is not put in");
});

test("what a model refuses is thrown, and what was asked is recorded", async (t) => {
  const { client, r } = await talk(t);
  await assert.rejects(async () => client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "Say something." }] }), OpenAI.BadRequestError);
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["Say something."]);
});

test("a stream that is left is recorded as far as it came", async (t) => {
  const { client, m, r } = await talk(t, { budget: 0 });
  m.says = [{ role: "assistant", content: "abcdefghi" }];
  for await (const chunk of await client.chat.completions.create({ model: "m", stream: true, messages: [{ role: "user", content: "Spell." }] })) {
    if (chunk.choices[0]?.delta.content === "def") break;
  }
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["Spell.", "abcdef"]);
});

test("streams of other clients", async (t) => {
  const { r } = await talk(t);
  const create = async function (_: object): Promise<AsyncIterable<Loose>> {
    return (async function* () {
      for (const content of ["a", "b"]) yield { choices: [{ index: 0, delta: { content } }] };
    })();
  };
  const client = wrap({ chat: { completions: { create } } }, { lukasa: new Lukasa(r.url), session: "s 1" });
  for await (const _ of await client.chat.completions.create({ stream: true, messages: [{ role: "user", content: "Spell." }] }));
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["Spell.", "ab"]);
});

test("what is not understood is let through", async (t) => {
  const { r } = await talk(t);
  const odd = { choices: [{ index: 0, delta: { tool_calls: [null] } }], also: { choices: {} } };
  const troubles: string[] = [];
  const create = async function (body: object): Promise<Loose> {
    if (!("stream" in body)) return { choices: { 0: null } };
    return (async function* () {
      for (let i = 0; i < 3; i++) yield odd;
    })();
  };
  const client = wrap({ chat: { completions: { create } } }, { lukasa: new Lukasa(r.url), session: "s 1", onTrouble: (error) => void troubles.push(String(error)) });
  const messages = [{ role: "user", content: "Spell." }];
  const came: unknown[] = [];
  for await (const chunk of (await client.chat.completions.create({ stream: true, messages })) as unknown as AsyncIterable<Loose>) came.push(chunk);
  assert.deepEqual(came, [odd, odd, odd]);
  assert.deepEqual(await client.chat.completions.create({ messages }), { choices: { 0: null } });
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["Spell."]);
  assert.ok(troubles.length > 0, "it is reported");
});

test("it behaves as the client does", async (t) => {
  const { client, m, r } = await talk(t);
  assert.ok(client instanceof OpenAI);
  assert.equal(client.apiKey, "x");
  m.says = Array.from({ length: 3 }, () => ({ role: "assistant", content: "Yes." }));
  const body = { model: "m", messages: [{ role: "user" as const, content: "Do you?" }] };
  const { data, response } = await client.chat.completions.create(body).withResponse();
  assert.deepEqual([data.choices[0]?.message.content, response.headers.get("x-request-id")], ["Yes.", "model-1"]);
  const raw = await client.chat.completions.create(body).asResponse();
  assert.equal(((await raw.json()) as Loose)["choices"][0].message.content, "Yes.");
  await client.withOptions({ timeout: 1000 }).chat.completions.create(body);
  await flush(client);
  assert.deepEqual(r.events.map((e) => e["content"].text), ["Do you?", "Yes."]);
});

test("the Responses interface", async (t) => {
  for (const stream of [false, true]) {
    const { client, m, r } = await talk(t);
    r.text = "- Known.";
    const output = [
      { type: "message", role: "assistant", id: "i1", status: "completed", content: [{ type: "output_text", text: "I look.", annotations: [] }] },
      { type: "function_call", call_id: "c1", name: "weigh", arguments: '{"parcel":7}' },
    ];
    m.says = [{ output, deltas: [{ type: "response.output_text.delta", delta: "I look." }] }, { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "29.5 kg." }] }], deltas: [] }];
    const ask = async (body: OpenAI.Responses.ResponseCreateParams): Promise<void> => {
      if (!stream) return void (await client.responses.create({ ...body, stream: false }));
      for await (const _ of await client.responses.create({ ...body, stream: true }));
    };
    await ask({ model: "m", instructions: "Be brief.", input: "Weigh parcel 7." });
    await ask({ model: "m", input: [{ role: "user", content: "Weigh parcel 7." }, ...(output as OpenAI.Responses.ResponseInputItem[]), { type: "function_call_output", call_id: "c1", output: "29.5 kg" }] });
    await flush(client);
    assert.equal(m.asked[0]?.["instructions"].split("\n")[0], "Be brief.");
    assert.ok(m.asked[0]?.["instructions"].includes(knownLine));
    assert.deepEqual(told(r), [
      ["message", { role: "user", text: "Weigh parcel 7." }],
      ["message", { role: "assistant", text: "I look." }],
      ["tool_call", { tool_name: "weigh", arguments: { parcel: 7 }, call_id: "c1" }],
      ["tool_result", { tool_name: "weigh", call_id: "c1", result: { text: "29.5 kg" } }],
      ["message", { role: "assistant", text: "29.5 kg." }],
    ]);
    assert.equal(r.repeated, 0);
  }
});

test("a pack is asked for with its mark, within the budget", async (t) => {
  const { client, m, r } = await talk(t, { budget: 200 });
  m.says = [{ role: "assistant", content: "Yes." }];
  await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "Well?" }] });
  assert.deepEqual(r.packs.map((p) => [p["budget"], p["marked"]]), [[200, true]]);
});
