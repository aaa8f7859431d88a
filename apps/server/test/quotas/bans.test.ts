import { plans, type Quota } from '@animal-store/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import { expectError, rateLimitOf } from '../support/expectations.ts';
import { type Keys, startWithKeys } from '../support/service-with-keys.ts';
import type { TestService } from '../support/test-service.ts';

describe('bans', () => {
  let service: TestService;
  let keys: Keys;
  /** Unix time in seconds, at which the server's clock stands still. */
  let now: number;

  beforeAll(async () => {
    ({ service, keys, now } = await startWithKeys(
      {
        repeats: { perMinute: 1, perDay: 1_000 },
        warned: { perMinute: 1, perDay: 1_000 },
        wide: { perMinute: 20, perDay: 1_000 },
        told: { perMinute: 20, perDay: 1_000 },
        headers: { perMinute: 1, perDay: 1_000 },
        still: { perMinute: 1, perDay: 1_000 },
      },
      // More than 4 strikes, or half the limit, ban; nothing counts as still in flight.
      { BAN_GRACE_MS: '0', BAN_MIN_STRIKES: '4', BAN_SECONDS: '100' },
    ));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const callAs = (name: string, path = '/pets') =>
    service.call(path, { token: keys[name] ?? 'none' });
  const codesOf = async (name: string, times: number) => {
    const codes: string[] = [];
    for (let i = 0; i < times; i += 1) {
      const { status, body } = await callAs(name);
      codes.push(status === 200 ? 'ok' : (body as { code: string }).code);
    }
    return codes;
  };
  const denied = (times: number) => Array.from({ length: times }, () => 'rate_limit_exceeded');

  test('a key with more strikes than the threshold is banned', async () => {
    // One is admitted, one denied for the first time, and four repeat it; the next one bans.
    expect(await codesOf('repeats', 7)).toEqual(['ok', ...denied(5), 'key_temporarily_banned']);
  });

  test('the threshold is half of the limit if that is more', async () => {
    const codes = await codesOf('wide', 20 + 1 + 10 + 1);
    expect(codes.slice(20)).toEqual([...denied(11), 'key_temporarily_banned']);
  });

  test('the message of a denial says when to retry, and not that there are bans', async () => {
    await codesOf('told', 20);
    for (let i = 0; i < 5; i += 1) {
      expectError(
        await callAs('told'),
        429,
        'rate_limit_exceeded',
        /^The limit of 20 requests a minute is used up until [-\dT:]{19}Z\. Retry after \d+ s\.$/,
      );
    }
  });

  test('the message warns from half the threshold on', async () => {
    await callAs('warned');
    const messages: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      messages.push(((await callAs('warned')).body as { message: string }).message);
    }
    // After no, one, two, three and four strikes of four.
    expect(messages.map((message) => /banned/.test(message))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  test('the response to a banned key says when the ban ends', async () => {
    await codesOf('headers', 7);
    const answer = await callAs('headers');
    expectError(answer, 429, 'key_temporarily_banned', /Retry after \d+ s\.$/);
    const retryAfter = Number(answer.headers.get('Retry-After'));
    expect(retryAfter).toBe(100);
    expect(rateLimitOf(answer).remaining).toBe(0);
    expect(Math.abs(rateLimitOf(answer).reset - now - retryAfter)).toBeLessThanOrEqual(1);
  });

  test('requests during a ban neither extend it nor count', async () => {
    await codesOf('still', 7);
    const first = await callAs('still');
    const later = await Promise.all(Array.from({ length: 30 }, () => callAs('still')));
    expect(new Set(later.map((answer) => rateLimitOf(answer).reset))).toEqual(
      new Set([rateLimitOf(first).reset]),
    );
    expect(later.every(({ status }) => status === 429)).toBe(true);
  });

  test('a ban does not affect other keys', async () => {
    expect((await service.call('/pets')).status).toBe(200);
    expect((await service.call('/pets', { token: service.tokens.free })).status).toBe(200);
  });
});

// Without a server: the tests above show that it obeys these settings.
describe('settings of bans', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const quotasFor = (env: Readonly<Record<string, string>>) => createMemoryQuotas(readConfig(env));
  const outcomesOf = async (
    { keys }: ReturnType<typeof quotasFor>,
    quota: Quota,
    times: number,
  ) => {
    const decisions = await Promise.all(
      Array.from({ length: times }, () => keys.take({ id: 'key', quota })),
    );
    return decisions.map(({ outcome }) => outcome);
  };

  test('requests already in flight are no strikes', async () => {
    const quotas = quotasFor({ BAN_GRACE_MS: '60000', BAN_MIN_STRIKES: '1' });
    const { free } = plans;
    const outcomes = await outcomesOf(quotas, free, 200);
    vi.advanceTimersByTime(59_000);
    outcomes.push(...(await outcomesOf(quotas, free, 200)));
    expect(outcomes).toEqual([...Array(60).fill('admitted'), ...Array(340).fill('denied')]);
  });

  test('bans can be switched off', async () => {
    const quotas = quotasFor({ BAN_GRACE_MS: '0', BAN_MIN_STRIKES: '0' });
    const outcomes = await outcomesOf(quotas, { perMinute: 1, perDay: 1_000 }, 60);
    expect(outcomes).toEqual(['admitted', ...Array(59).fill('denied')]);
  });
});
