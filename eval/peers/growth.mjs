// What one more write and one question cost with 1,000 and with 10,000 facts, how many of
// 20 questions are answered, and with how many characters: node growth.mjs
import { servers, start, directory, median, text } from './servers.mjs';

const asked = 20;
const written = 60;

for (const [name, server] of Object.entries(servers)) {
  const { client } = await start(server, directory());
  let next = 0;
  for (const size of [1000, 10000]) {
    while (next < size - written) {
      const some = Array.from({ length: Math.min(200, size - written - next) }, (_, k) => next + k);
      await server.write(client, some);
      next += some.length;
    }
    const writes = [];
    for (let k = 0; k < written; k++) {
      const from = performance.now();
      await server.write(client, [next++]);
      writes.push(performance.now() - from);
    }
    const asks = [];
    let found = 0;
    let characters = 0;
    for (let k = 0; k < asked; k++) {
      const i = (k * 37) % 900;
      const from = performance.now();
      const answer = await server.ask(client, i);
      asks.push(performance.now() - from);
      characters += answer.content[0].text.length;
      if (answer.content[0].text.includes(text(i))) found++;
    }
    console.log(JSON.stringify({ name, facts: size, writeP50ms: median(writes), askP50ms: median(asks), found, of: asked, characters: Math.round(characters / asked) }));
  }
  await client.close();
}
process.exit(0);
