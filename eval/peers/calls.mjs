// How often mem0 asks a model for each message that is added. The model is a server in
// this process that speaks the protocol of OpenAI and says that there is one fact:
// node calls.mjs
import http from 'node:http';

process.env.MEM0_TELEMETRY = 'false'; // nothing leaves this machine
const { Memory } = await import('mem0ai/oss');

const messages = 5;
const count = { model: 0, embedder: 0, promptCharacters: 0 };

const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const asked = JSON.parse(body || '{}');
  response.setHeader('Content-Type', 'application/json');
  if (request.url.includes('embeddings')) {
    count.embedder++;
    const data = [asked.input].flat().map((_, index) => ({ object: 'embedding', index, embedding: Array.from({ length: 1536 }, () => Math.random()) }));
    response.end(JSON.stringify({ object: 'list', data, model: asked.model, usage: { prompt_tokens: 1, total_tokens: 1 } }));
    return;
  }
  count.model++;
  count.promptCharacters += JSON.stringify(asked.messages).length;
  const content = JSON.stringify({ facts: ['Orders go to dock 9'], memory: [{ id: '0', text: 'Orders go to dock 9', event: 'ADD' }] });
  response.end(JSON.stringify({ id: '1', object: 'chat.completion', created: 1, model: asked.model, choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;

const memory = new Memory({
  embedder: { provider: 'openai', config: { apiKey: 'none', baseURL, url: baseURL, model: 'text-embedding-3-small' } },
  llm: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'gpt-4.1-nano' } },
  vectorStore: { provider: 'memory', config: { collectionName: 'peers', dimension: 1536, dbPath: ':memory:' } },
  disableHistory: true,
});
for (let i = 0; i < messages; i++) {
  await memory.add([{ role: 'user', content: `Remember that order ${i} goes to dock 9.` }], { userId: 'dana' });
}
console.log(JSON.stringify({ name: 'mem0', messages, ...count }));
process.exit(0);
