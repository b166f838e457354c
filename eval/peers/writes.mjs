// Which acknowledged writes are there after the server ended five times while it was written to:
// node writes.mjs [calls in flight] [kill|wait]. With kill (the default) it is ended with SIGKILL in
// the middle of them; with wait every call is answered first, and it is closed as the protocol has it.
import { servers, start, directory, median } from './servers.mjs';

const inFlight = Number(process.argv[2] ?? 1);
const end = process.argv[3] ?? 'kill';
const rounds = 5;
const lasts = 2000; // milliseconds

for (const [name, server] of Object.entries(servers)) {
  const dir = directory();
  const acknowledged = [];
  const times = [];
  let next = 0;
  for (let round = 0; round < rounds; round++) {
    const { client, transport } = await start(server, dir);
    let killed = false;
    const worker = async () => {
      while (!killed) {
        const i = next++;
        const from = performance.now();
        try {
          const answer = await server.write(client, [i]);
          if (answer.isError) continue;
          acknowledged.push(i);
          times.push(performance.now() - from);
        } catch {
          return; // it is dead
        }
      }
    };
    const workers = Array.from({ length: inFlight }, worker);
    setTimeout(() => {
      killed = true;
      if (end === 'kill') process.kill(transport.pid, 'SIGKILL');
    }, lasts * (0.5 + Math.random() / 2));
    await Promise.all(workers);
    await client.close().catch(() => {});
  }
  const { client } = await start(server, dir);
  const kept = await server.kept(client, acknowledged);
  console.log(JSON.stringify({ name, inFlight, end, rounds, acknowledged: acknowledged.length, lost: acknowledged.length - kept.there, why: kept.why, p50ms: median(times) }));
  await client.close();
}
process.exit(0);
