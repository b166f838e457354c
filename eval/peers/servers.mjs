// The memories that are compared over MCP: how each is started, and how a fact is written
// and asked for in its own words.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const require = createRequire(import.meta.url);
const lukasa = process.env.LUKASA ?? 'lukasa';

/** text is the i-th fact. */
export const text = (i) => `Order ${i} goes to dock ${i % 97} before noon, says dispatcher ${i % 13}.`;

/** question asks for it. */
export const question = (i) => `which dock does order ${i} go to`;

export const servers = {
  'mcp-memory': {
    command: (dir) => ({
      command: process.execPath,
      args: [path.join(path.dirname(require.resolve('@modelcontextprotocol/server-memory/package.json')), 'dist/index.js')],
      env: { ...process.env, MEMORY_FILE_PATH: path.join(dir, 'memory.jsonl') },
    }),
    write: (c, list) => c.callTool({
      name: 'create_entities',
      arguments: { entities: list.map((i) => ({ name: `fact-${i}`, entityType: 'fact', observations: [text(i)] })) },
    }),
    ask: (c, i) => c.callTool({ name: 'search_nodes', arguments: { query: question(i) } }),
    async kept(c, list) {
      const answer = await c.callTool({ name: 'read_graph', arguments: {} });
      if (answer.isError) return { there: 0, why: answer.content[0].text };
      const names = new Set(JSON.parse(answer.content[0].text).entities.map((e) => e.name));
      return { there: list.filter((i) => names.has(`fact-${i}`)).length };
    },
  },
  lukasa: {
    command: (dir) => ({
      command: lukasa,
      args: ['mcp', '--data', path.join(dir, 'data'), '--tenant', 'acme'],
      env: { ...process.env, LUKASA_WITNESS: 'off' },
    }),
    write: (c, list) => Promise.all(list.map((i) => c.callTool({ name: 'remember', arguments: { key: `fact/${i}`, type: 'fact', text: text(i) } }))).then((all) => all[0]),
    ask: (c, i) => c.callTool({ name: 'pack_context', arguments: { topic: question(i), budget_tokens: 300 } }),
    async kept(c, list) {
      let there = 0;
      for (const i of list) {
        const answer = await c.callTool({ name: 'recall', arguments: { key: `fact/${i}` } });
        if (!answer.isError) there++;
      }
      return { there };
    },
  },
};

/** start starts a server on a directory, and connects to it. */
export async function start(server, dir) {
  const transport = new StdioClientTransport({ ...server.command(dir), stderr: 'ignore' });
  const client = new Client({ name: 'peers', version: '1.0.0' });
  await client.connect(transport);
  return { client, transport };
}

/** directory makes one that is gone when the process ends. */
export function directory() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'peers-'));
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** median of numbers, to a hundredth. */
export function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return Math.round(sorted[sorted.length >> 1] * 100) / 100;
}
