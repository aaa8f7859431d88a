// Tells what each feature of the client costs in bytes, and compares the client with plain `fetch`, with a
// Business key and 80 ms latency, below the limit:
//
//   npm run bench            in this folder
//
// Each round has a key of its own and sends 900 of the 1,000 requests that the key has in a minute.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openTcpProxy, startServer } from '@animal-store/testkit';
import { measureFeatures } from './measure-features.ts';
import { createClient } from './src/index.ts';

const requests = 900;
const rounds = 5;
const repository = join(import.meta.dirname, '../..');
const execute = promisify(execFile);

const { total, costs } = await measureFeatures();
process.stdout.write(`all of it: ${total} bytes, minified and gzipped; of these\n`);
for (const [name, bytes] of costs) process.stdout.write(`${String(bytes).padStart(6)} ${name}\n`);

await using server = await startServer();
const { hostname: host, port } = new URL(server.baseUrl);
await using network = await openTcpProxy({ target: { host, port: Number(port) } });
network.delay(40);
const baseUrl = network.via(server.baseUrl);

for (const callers of [20, 50, 100, requests]) {
  const rates = { fetch: [] as number[], client: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const apiKey = await createBusinessKey();
    const headers = { Authorization: `Bearer ${apiKey}` };
    const send = async () => void (await (await fetch(`${baseUrl}/pets`, { headers })).json());
    rates.fetch.push(await measure(callers, send));

    const store = createClient({ baseUrl, apiKey: await createBusinessKey() });
    const call = async () => void (await store.listPets());
    rates.client.push(await measure(callers, call));
  }
  const [plain, client] = [median(rates.fetch), median(rates.client)];
  const share = Math.round((100 * client) / plain);
  process.stdout.write(
    `${callers} callers: fetch ${Math.round(plain)}/s, client ${Math.round(client)}/s: ${share} %\n`,
  );
}

/** Sends all requests, so many at a time, and gives how many there were in a second. */
async function measure(callers: number, send: () => Promise<void>): Promise<number> {
  let left = requests;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) await send();
    }),
  );
  return (1000 * requests) / (performance.now() - startedAtMs);
}

async function createBusinessKey(): Promise<string> {
  const cli = [
    join(repository, 'apps/server/src/cli.ts'),
    'keys',
    'create',
    '--plan',
    'business',
    '--json',
  ];
  // biome-ignore lint/style/noProcessEnv: the program needs a PATH
  const env = { ...process.env, DATA_DIR: server.dataDir };
  const { stdout } = await execute(process.execPath, cli, { env });
  return (JSON.parse(stdout) as { token: string }).token;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
