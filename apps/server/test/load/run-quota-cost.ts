// Measures what a decision of a quota costs Redis and this process, in a Redis of its own:
//
//   pnpm --filter @animal-store/server run quota-cost [--rounds 7] [--before <another checkout>]
//
// Prints µs of CPU for each decision, medians over the rounds. Compare the ratios to the library's limiter
// or to the other checkout, which are measured in turns with the rest; the figures depend on the machine.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultBanPolicy } from '@animal-store/contract';
import { openRedis } from '@animal-store/testkit';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { openQuotas } from '../../src/quotas/open-quotas.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { defaultTimings } from '../../src/shared/timings.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, before: { type: 'string' } },
});
const callers = 64;
const keys = 1_000;
const decisions = 50_000;
const roomy = { perMinute: 1_000_000, perDay: 1_000_000 };
/** A tick of `/proc/<pid>/stat` on Linux. */
const msPerTick = 10;

await using redis = await openRedis();
const client = new Redis(redis.url);
const library = new RateLimiterRedis({
  storeClient: client,
  points: 1_000_000,
  duration: 60,
  keyPrefix: 'library',
});
const now = await open(openQuotas);
const before =
  values.before === undefined
    ? undefined
    : await open(
        (await import(resolve(values.before, 'apps/server/src/quotas/open-quotas.ts'))).openQuotas,
      );

/** What is measured: asks for one decision about the `n`-th of a thousand callers. */
const subjects: Record<string, (n: number) => Promise<unknown>> = {
  PING: () => client.ping(),
  "the library's limiter": (n) => library.consume(`key ${n}`),
  ...subjectsOf('', now),
  ...(before && subjectsOf(', before', before)),
};

function open(openQuotas_: typeof openQuotas) {
  return openQuotas_({
    clock: systemClock,
    timings: defaultTimings.quotas,
    redisUrls: [redis.url],
    redisTimeoutMs: 60_000,
    replicas: () => 1,
    addressPerMinute: 1_000_000,
    // A ban would be believed without asking Redis.
    banPolicy: { ...defaultBanPolicy, minStrikes: 1_000_000 },
    onBreaker(state, reason) {
      if (state === 'open') throw reason;
    },
    onBan() {},
  });
}

function subjectsOf(when: string, { keys, networks }: Awaited<ReturnType<typeof openQuotas>>) {
  const full = { perMinute: 1, perDay: 1_000 };
  return {
    [`a key, admitted${when}`]: (n: number) => keys.take({ id: `key ${n}${when}`, quota: roomy }),
    [`a key, denied${when}`]: (n: number) => keys.take({ id: `full ${n}${when}`, quota: full }),
    ...(when === '' && {
      // Ten keys in each account.
      'a key of an account, admitted': (n: number) =>
        keys.take({ id: `key ${n}`, accountId: `account ${n % 100}`, quota: roomy }),
      'a key of an account, denied': (n: number) =>
        keys.take({ id: `key ${n}`, accountId: `full ${n % 100}`, quota: full }),
    }),
    [`a network, admitted${when}`]: (n: number) => networks.take(`network ${n}${when}`),
  };
}

/** CPU time of Redis in µs. */
function redisCpu(): number {
  const fields = readFileSync(`/proc/${redis.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * msPerTick * 1_000;
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function measure(ask: (n: number) => Promise<unknown>) {
  const startedAt = { redis: redisCpu(), own: ownCpu() };
  let sent = 0;
  const caller = async () => {
    while (sent < decisions) {
      sent += 1;
      await ask(sent % keys);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return {
    redis: (redisCpu() - startedAt.redis) / decisions,
    own: (ownCpu() - startedAt.own) / decisions,
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

const names = Object.keys(subjects);
const rounds = new Map(names.map((name) => [name, [] as Awaited<ReturnType<typeof measure>>[]]));
// The first round warms up. Each round begins with another one, so that none always runs first.
for (let round = 0; round <= Number(values.rounds); round += 1) {
  for (const name of [
    ...names.slice(round % names.length),
    ...names.slice(0, round % names.length),
  ]) {
    const cost = await measure(subjects[name] as (n: number) => Promise<unknown>);
    if (round > 0) rounds.get(name)?.push(cost);
  }
}

process.stdout.write('| CPU µs of a decision | of Redis | of this process |\n|---|---|---|\n');
for (const [name, costs] of rounds) {
  const of = (whose: 'redis' | 'own') => median(costs.map((cost) => cost[whose])).toFixed(1);
  process.stdout.write(`| ${name} | ${of('redis')} | ${of('own')} |\n`);
}
client.disconnect();
now.close();
before?.close();
