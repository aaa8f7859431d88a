// This program compares rate-limit libraries that count a minute and a day in one Redis. It measures the cost of a
// decision, and how many requests eight processes admit together.
//
//   npm run bench:quotas -- --rounds 5

import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { openRedis } from '@animal-store/testkit';
import { cpuTimeNs, pinThisProcess } from '../machine.ts';
import { median } from '../median.ts';
import { type Library, libraries } from './libraries.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

const [callers, keys, decisions] = [64, 200, 40_000];
const wide = { perMinute: 2_000_000, perDay: 2_000_000 };

interface Cost {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly redisUs: number;
}

pinThisProcess();
await using redis = await openRedis();

/**
 * Measures how long a library takes to admit or refuse requests of 64 concurrent callers. Each
 * caller waits for the result before its next request.
 */
async function measure({ open }: Library): Promise<Cost> {
  await redis.command('FLUSHALL');
  const library = await open(redis.url, wide);
  let left = 0;
  const send = async () => {
    while (left > 0) {
      left -= 1;
      await library.take(`key ${left % keys}`);
    }
  };
  const run = async (count: number) => {
    left = count;
    await Promise.all(Array.from({ length: callers }, send));
  };
  await run(decisions / 4);
  const [beganAt, node, ofRedis] = [performance.now(), process.cpuUsage(), cpuTimeNs(redis.pid)];
  await run(decisions);
  const { user, system } = process.cpuUsage(node);
  const cost = {
    perSecond: (decisions * 1_000) / (performance.now() - beganAt),
    nodeUs: (user + system) / decisions,
    redisUs: (cpuTimeNs(redis.pid) - ofRedis) / 1_000 / decisions,
  };
  library.close();
  return cost;
}

/**
 * Sends 10,000 requests of one caller from eight processes, and returns how many were admitted. The
 * limits are 1,000 a minute and 5,000 a day.
 */
async function countAdmitted(name: string): Promise<{ admitted: number; usedOfDay: number }> {
  await redis.command('FLUSHALL');
  const args = [`${import.meta.dirname}/replica.ts`, name, redis.url, '1000', '5000', '1250'];
  const outputs = await Promise.all(
    Array.from({ length: 8 }, () => promisify(execFile)(process.execPath, args)),
  );
  const library = await libraries[name]?.open(redis.url, { perMinute: 1_000, perDay: 5_000 });
  const usedOfDay = (await library?.usedOfDay('caller')) ?? 0;
  library?.close();
  return { admitted: outputs.reduce((sum, { stdout }) => sum + Number(stdout), 0), usedOfDay };
}

const costs = new Map<string, Cost[]>();
for (let round = 0; round < rounds; round += 1) {
  const names = Object.entries(libraries);
  for (let i = 0; i < names.length; i += 1) {
    // Each round starts with another library. If the order were always the same, one library could
    // slow down the next one in every round.
    const [name, library] = names[(i + round) % names.length] as [string, Library];
    costs.set(name, [...(costs.get(name) ?? []), await measure(library)]);
  }
}
const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`;
let table = line(['', 'decisions/s', 'Node µs', 'Redis µs', 'admitted', 'of 5,000 a day used']);
table += line(['---', '--:', '--:', '--:', '--:', '--:']);
for (const [name, { title }] of Object.entries(libraries)) {
  const all = costs.get(name) ?? [];
  const of = (field: keyof Cost) => median(all.map((cost) => cost[field]));
  const { admitted, usedOfDay } = await countAdmitted(name);
  table += line([
    title,
    Math.round(of('perSecond')).toLocaleString('en'),
    of('nodeUs').toFixed(1),
    of('redisUs').toFixed(1),
    admitted.toLocaleString('en'),
    usedOfDay.toLocaleString('en'),
  ]);
}
process.stdout.write(`${rounds} rounds, Node ${process.version}\n\n${table}`);
