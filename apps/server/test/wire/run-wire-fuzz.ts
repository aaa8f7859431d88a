// Fuzzes both listeners of a server with raw connections, for longer than the tests do:
//
//   node test/wire/run-wire-fuzz.ts [--connections 100000] [--seed <number>]
//
// Ends with exit code 1 if the server exits, refuses a valid caller, logs an error, leaves a request
// in flight, or holds on to more and more memory.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { growthOf } from '../load/memory.ts';
import { startWithStores } from '../load/start-with-stores.ts';
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

await using loaded = await startWithStores(fuzzedEnv);
const { server, token } = loaded;

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
