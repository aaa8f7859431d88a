// Fuzzes both listeners of a server with raw connections, for longer than the tests do:
//
//   node test/wire/run-wire-fuzz.ts [--connections 100000] [--seed <number>]
//
// Ends with exit code 1 if the server exits, refuses a valid caller, logs an error, leaves a request
// in flight, or holds on to more and more memory.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openPostgres, openRedis, startServer } from '@animal-store/testkit';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-creation.ts';
import { growthOf } from '../load/memory.ts';
import { checkUnharmed, fuzzedEnv, fuzzWire } from './wire-fuzz.ts';

const { values } = parseArgs({
  // pnpm passes on the "--" that may stand before them.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    connections: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const seed = Number(values.seed);
const total = Number(values.connections);
const rounds = 30;
const say = (text: string) => process.stdout.write(`${text}\n`);
say(`seed ${seed}`);

await using opened = new AsyncDisposableStack();
const [postgres, redis] = await Promise.all([openPostgres(), openRedis()]);
opened.use(postgres);
opened.use(redis);
const database = await postgres.createDatabase();
const { db, close } = await openDatabase(database.url);
const { token } = await createApiKey(db, {
  name: 'valid caller',
  plan: 'enterprise',
  quota: { perMinute: 10_000_000, perDay: 100_000_000 },
});
await close();
const server = opened.use(
  await startServer({ env: { ...fuzzedEnv, DATABASE_URL: database.url, REDIS_URL: redis.url } }),
);

const held: number[] = [];
const connections = Math.ceil(total / rounds);
for (let round = 0; round < rounds; round += 1) {
  await fuzzWire({ server, token, seed: seed + round, connections });
  const bytes = await checkUnharmed(server, token);
  held.push(bytes);
  say(`${(round + 1) * connections} connections, ${(bytes / 1e6).toFixed(1)} MB held`);
}
const growth = growthOf(held);
say(`memory, last third / second third: ${growth.ratio.toFixed(3)}`);
if (!growth.isFlat) process.exitCode = 1;
