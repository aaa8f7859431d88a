import { RateLimitStatus } from '@animal-store/contract';
import { openRedis } from '@animal-store/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, expectResponseHeaders, rateLimitOf } from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import { type Keys, startWithKeys } from '../support/service-with-keys.ts';
import type { TestService } from '../support/test-service.ts';

const path = '/rate-limit';

/** The body of a 200, which must be one of the contract's. */
function statusOf(answer: Answer): RateLimitStatus {
  expect(answer.status).toBe(200);
  expectResponseHeaders(answer);
  return RateLimitStatus.parse(answer.body);
}

const unixSeconds = (instant: string | null) => Date.parse(instant ?? '') / 1_000;

describe.each(['memory', 'redis'])('the rate-limit status with quotas in %s', (store) => {
  const resources = new AsyncDisposableStack();
  let service: TestService;
  let keys: Keys;

  beforeAll(async () => {
    const redis = store === 'redis' ? resources.use(await openRedis()) : undefined;
    ({ service, keys } = await startWithKeys(
      {
        counted: { perMinute: 10, perDay: 100 },
        denied: { perMinute: 1, perDay: 5 },
        usedUp: { perMinute: 1, perDay: 1 },
        warned: { perMinute: 1, perDay: 100 },
        banned: { perMinute: 1, perDay: 100 },
        eager: { perMinute: 10, perDay: 100 },
      },
      // More than 4 strikes ban, and every denial after the first is one.
      {
        BAN_GRACE_MS: '0',
        BAN_MIN_STRIKES: '4',
        BAN_SECONDS: '300',
        ...(redis !== undefined && { REDIS_URL: redis.url }),
      },
    ));
    resources.use(service);
  });
  afterAll(() => resources.disposeAsync());

  const callAs = (name: string, to = path, method = 'GET') =>
    service.call(to, { token: keys[name] ?? 'none', method });
  const callTimes = async (name: string, times: number) => {
    for (let i = 0; i < times; i += 1) await callAs(name, '/pets');
  };

  test('shows both windows and the plan, and costs nothing', async () => {
    const pets = await callAs('counted', '/pets');
    for (let i = 0; i < 3; i += 1) {
      const answer = await callAs('counted');
      const { reset } = rateLimitOf(pets);
      expect(statusOf(answer)).toEqual({
        plan: 'enterprise',
        subject: 'key',
        windows: {
          minute: { limit: 10, remaining: 9, resetsAt: new Date(reset * 1_000).toISOString() },
          day: { limit: 100, remaining: 99, resetsAt: expect.any(String) },
        },
        bannedUntil: null,
        warned: false,
      });
      expect(rateLimitOf(answer)).toEqual(rateLimitOf(pets));
    }
    expect(rateLimitOf(await callAs('counted', '/pets')).remaining).toBe(8);
  });

  test('answers a denied key, and is no strike', async () => {
    await callTimes('denied', 2);
    for (let i = 0; i < 10; i += 1) {
      const answer = await callAs('denied');
      expect(statusOf(answer)).toMatchObject({
        windows: { minute: { remaining: 0 }, day: { remaining: 4 } },
        bannedUntil: null,
        warned: false,
      });
      expect(rateLimitOf(answer)).toMatchObject({ limit: 1, remaining: 0 });
    }
    expectError(await callAs('denied', '/pets'), 429, 'rate_limit_exceeded');
  });

  test('reports the window that resets later if both are used up', async () => {
    const { reset } = rateLimitOf(await callAs('usedUp', '/pets'));
    const answer = await callAs('usedUp');
    const { windows } = statusOf(answer);
    expect(unixSeconds(windows.minute.resetsAt)).toBe(reset);
    expect(rateLimitOf(answer).reset).toBe(unixSeconds(windows.day.resetsAt));
    expect(unixSeconds(windows.day.resetsAt)).toBeGreaterThan(reset);
  });

  test('warns from half of the strikes on', async () => {
    await callTimes('warned', 3);
    expect(statusOf(await callAs('warned')).warned).toBe(false);
    await callTimes('warned', 1);
    expect(statusOf(await callAs('warned')).warned).toBe(true);
  });

  test('shows a banned key the end of its ban, and does not extend it', async () => {
    await callTimes('banned', 7);
    const refused = await callAs('banned', '/pets');
    expectError(refused, 429, 'key_temporarily_banned');
    const answer = await callAs('banned');
    const { bannedUntil, warned } = statusOf(answer);
    expect(unixSeconds(bannedUntil)).toBe(rateLimitOf(refused).reset);
    expect(warned).toBe(false);
    expect(rateLimitOf(answer)).toEqual(rateLimitOf(refused));
    expect(rateLimitOf(await callAs('banned', '/pets'))).toEqual(rateLimitOf(refused));
  });

  test('has an allowance of 60 a minute, which is no quota', async () => {
    // One window admits 60. A slow machine may reach a second one, and no third.
    const answers = await Promise.all(Array.from({ length: 130 }, () => callAs('eager')));
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.length).toBeGreaterThanOrEqual(60);
    const [answer] = answers.filter(({ status }) => status !== 200);
    if (answer === undefined) throw new Error('No request was denied.');
    expectError(
      answer,
      429,
      'rate_limit_exceeded',
      /^The limit of 60 requests a minute is used up until /,
    );
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(rateLimitOf(answer)).toMatchObject({ limit: 60, remaining: 0 });
    expect((await callAs('eager', '/pets')).status).toBe(200);
  });

  test('answers HEAD without a body, and no other method', async () => {
    const head = await callAs('counted', path, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expectResponseHeaders(head);
    const post = await callAs('counted', path, 'POST');
    expectError(post, 405, 'method_not_allowed');
    expect(post.headers.get('Allow')).toBe('GET, HEAD');
  });

  test('needs a key, and counts against the network without one', async () => {
    const first = await service.call(path, { token: null });
    expectError(first, 401, 'unauthorized');
    const second = await service.call(path, { token: null });
    expect(rateLimitOf(second).remaining).toBe(rateLimitOf(first).remaining - 1);
  });
});
