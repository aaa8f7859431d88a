import { readFileSync } from 'node:fs';
import type { BanPolicy, Quota } from '@animal-store/contract';
import { createQuotaModel, type ModelDecision } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { defineScript, type RedisScript } from '../../src/quotas/open-redis.ts';
import type { QuotaResult } from '../../src/quotas/quota-result.ts';
import { createRedisQuotas } from './open-limiters.ts';
import { hasty, startMs } from './quota-sequences.ts';
import { useRedis } from './use-redis.ts';

// During a rolling update, replicas of this version and of the one before decide side by side. The one
// before is represented by its script. Delete this file and the script one version later.

const dayMs = 86_400_000;

const policy: BanPolicy = { ...hasty, memorySeconds: 2 * 86_400 };

const redis = useRedis();
let now = startMs;
let newReplica: Quotas;
let oldScript: RedisScript<number[]>;

beforeAll(() => {
  const { connection } = redis;
  newReplica = createRedisQuotas({
    addressPerMinute: 60,
    banPolicy: policy,
    redis: connection,
    now: () => now,
  });
  const lua = readFileSync(new URL('./previous-version.lua', import.meta.url), 'utf8');
  oldScript = defineScript(connection, 'takeQuota', lua);
});

interface Decision {
  readonly outcome: string;
  readonly minuteLeft: number;
  readonly dayLeft: number;
  readonly bannedUntil: number | undefined;
}

async function askOld(id: string, quota: Quota): Promise<Decision> {
  const { graceMs, minStrikes, strikeShare, strikeWindowSeconds, ...bans } = policy;
  const [, admitted, minuteUsed = 0, , dayUsed = 0, , banEnds = 0] = await oldScript(
    1,
    `animal-store:quota:{${id}}`,
    1,
    quota.perMinute,
    quota.perDay,
    Math.max(minStrikes, Math.floor(quota.perMinute * strikeShare)),
    graceMs,
    strikeWindowSeconds * 1_000,
    bans.banSeconds * 1_000,
    bans.maxBanSeconds * 1_000,
    bans.memorySeconds * 1_000,
    now,
  );
  if (banEnds > 0) return banned(Math.ceil(banEnds / 1_000));
  return {
    outcome: admitted === 1 ? 'admitted' : 'denied',
    minuteLeft: quota.perMinute - minuteUsed,
    dayLeft: quota.perDay - dayUsed,
    bannedUntil: undefined,
  };
}

async function askNew(id: string, quota: Quota): Promise<Decision> {
  return seen(await newReplica.keys.consume(id, 1, { quota }));
}

function seen({ outcome, windows, reported }: QuotaResult | ModelDecision): Decision {
  if (outcome === 'banned') return banned(reported.resetAt);
  const [minuteLeft = 0, dayLeft = 0] = windows.map(({ remaining }) => remaining);
  return { outcome, minuteLeft, dayLeft, bannedUntil: undefined };
}

const banned = (until: number): Decision => ({
  outcome: 'banned',
  minuteLeft: 0,
  dayLeft: 0,
  bannedUntil: until,
});

const typeOf = async (id: string) => ({
  old: await redis.connection.type(`animal-store:quota:{${id}}`),
  new: await redis.connection.type(`animal-store:key:{${id}}`),
});

describe('a key that the previous version has in use', () => {
  test('is decided as if all replicas were of one version, until its day ends', async () => {
    const step = fc.record({
      who: fc.constantFrom(askOld, askNew),
      waitMs: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        fc.constantFrom(500, 999, 1_000, 1_001, 2_000, 5_000, 59_999, 60_000),
        fc.integer({ min: 1, max: 100_000 }),
      ),
    });
    const quota = { perMinute: 3, perDay: 12 };
    let sequences = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        sequences += 1;
        const id = `sequence ${sequences}`;
        now = startMs;
        const model = createQuotaModel(policy);
        expect(await askOld(id, quota)).toEqual(seen(model.take(quota, now)));
        for (const { who, waitMs } of steps) {
          now += waitMs;
          expect(await who(id, quota)).toEqual(seen(model.take(quota, now)));
        }
        expect(await typeOf(id)).toEqual({ old: 'hash', new: 'none' });
      }),
      { numRuns: 150 },
    );
  });

  test('becomes a packed string when its day ends, and keeps the memory of its bans', async () => {
    const quota = { perMinute: 1, perDay: 100 };
    now = startMs;
    await askOld('next day', quota);
    const strike = async () => {
      now += 1_000;
      return askNew('next day', quota);
    };
    // The first denial begins the episode; two strikes are allowed.
    for (let i = 0; i < 3; i += 1) expect((await strike()).outcome).toBe('denied');
    expect(await strike()).toEqual(banned(Math.ceil((now + 2_000) / 1_000)));

    now = startMs + dayMs;
    expect((await askNew('next day', quota)).dayLeft).toBe(99);
    expect(await typeOf('next day')).toMatchObject({ new: 'string' });
    for (let i = 0; i < 3; i += 1) expect((await strike()).outcome).toBe('denied');
    // The second ban within the memory is twice as long.
    expect(await strike()).toEqual(banned(Math.ceil((now + 4_000) / 1_000)));
  });

  test('can be unbanned', async () => {
    const quota = { perMinute: 1, perDay: 100 };
    now = startMs;
    await askOld('unbanned', quota);
    for (let i = 0; i < 4; i += 1) {
      now += 1_000;
      await askOld('unbanned', quota);
    }
    expect((await askNew('unbanned', quota)).outcome).toBe('banned');
    await newReplica.keys.unban('unbanned');
    expect((await askNew('unbanned', quota)).outcome).toBe('denied');
    expect((await askOld('unbanned', quota)).outcome).toBe('denied');
  });
});

test('a key whose first request of the day meets this version is counted by each version alone', async () => {
  const quota = { perMinute: 5, perDay: 100 };
  now = startMs;
  const admitted = async (who: typeof askOld) => {
    const decisions = [];
    for (let i = 0; i < 8; i += 1) decisions.push(await who('split', quota));
    return decisions.filter(({ outcome }) => outcome === 'admitted').length;
  };
  expect(await admitted(askNew)).toBe(5);
  expect(await admitted(askOld)).toBe(5);
  expect(await typeOf('split')).toEqual({ old: 'hash', new: 'string' });
});
