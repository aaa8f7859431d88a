import { defaultBanPolicy, type Quota, RateLimitStatus } from '@animal-store/contract';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import {
  expectError,
  expectResponseHeaders,
  leftOf,
  rateLimitOf,
} from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import { type CallOptions, useService } from '../support/test-service.ts';

// `quota-rule.test.ts` tests which requests are admitted, denied and banned. The tests in this file
// check the HTTP responses.

// The clock of the service stands still at a whole second. So no window ends during a test, and all
// waiting times are exact.
const now = Math.ceil(Date.now() / 1_000);
const inSeconds = (seconds: number) => new Date((now + seconds) * 1_000).toISOString();
const rex = '{"name":"Rex","categoryId":1}';
const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };

const clock = createTestClock(now * 1_000);
const service = useService('postgres', {
  ...{ clock, quotaClock: clock },
  // An API key is banned when it has more than 4 strikes (denied requests that count towards a
  // ban), and more strikes than half of its limit per minute. The first denied request in a row is
  // not a strike. There is no grace period, so each further denied request is a strike.
  quotas: { banPolicy: { ...defaultBanPolicy, graceMs: 0, minStrikes: 4, banSeconds: 100 } },
});

/** Creates an API key and returns a function that sends requests with it. */
async function createCaller(quota: Quota) {
  const { token } = await createApiKey(service.database.db, {
    name: 'x',
    plan: 'enterprise',
    quota,
  });
  const call = (path = '/pets', options: CallOptions = {}) =>
    service.call(path, { token, ...options });
  return Object.assign(call, {
    async inTurn(times: number) {
      const answers: Answer[] = [];
      for (let i = 0; i < times; i += 1) answers.push(await call());
      return answers;
    },
    /** Requests the rate-limit status and returns its body, which must conform to the contract. */
    async status() {
      const answer = await call('/rate-limit');
      expect(answer.status).toBe(200);
      expectResponseHeaders(answer);
      return { ...RateLimitStatus.parse(answer.body), reported: rateLimitOf(answer) };
    },
  });
}

test.each([
  ['"minute";q=10;w=60, "day";q=100;w=86400', '"minute";r=9;t=60, "day";r=99;t=86400', 10],
  ['"minute";q=60;w=60', '"minute";r=59;t=60', 60],
])(
  'the response headers report the limits of the API key, or of the network if there is no valid API key: RateLimit-Policy is %s',
  async (policy, left, limit) => {
    const caller = await createCaller({ perMinute: 10, perDay: 100 });
    const answer = limit === 10 ? await caller() : await caller('/pets', { token: 'wrong' });
    expectResponseHeaders(answer);
    expect(rateLimitOf(answer)).toEqual({ limit, remaining: limit - 1, reset: now + 60 });
    expect(answer.headers.get('RateLimit-Policy')).toBe(policy);
    expect(answer.headers.get('RateLimit')).toBe(left);
    expect(answer.headers.has('Retry-After')).toBe(false);
  },
);

test('a 429 response says when to retry, and warns when the API key is halfway to a ban', async () => {
  const caller = await createCaller({ perMinute: 1, perDay: 1_000 });
  const [admitted, ...refused] = await caller.inTurn(8);
  expect(admitted?.status).toBe(200);
  const endOf = (seconds: number) => inSeconds(seconds).replace('.000', '');
  const denied = `The limit of 1 request a minute is used up until ${endOf(60)}. Retry after 60 s.`;
  const warned = `${denied} If this API key keeps sending requests instead of waiting, the key will be temporarily banned.`;
  const banned = `This API key is temporarily banned until ${endOf(100)} because it kept sending requests after a 429. Retry after 100 s.`;
  for (const [i, answer] of refused.entries()) {
    // After each of the first five denied requests, the API key has 0, 1, 2, 3 and then 4 strikes
    // (denied requests that count towards a ban). From two strikes on, the message contains a
    // warning.
    const message = i < 2 ? denied : i < 5 ? warned : banned;
    const [code, seconds] = i < 5 ? ['rate_limit_exceeded', 60] : ['key_temporarily_banned', 100];
    expectError(answer, 429, String(code));
    expect(answer.body).toEqual({ code, message, status: 429 });
    expect(answer.headers.get('Retry-After')).toBe(String(seconds));
    expect(rateLimitOf(answer)).toEqual({ limit: 1, remaining: 0, reset: now + Number(seconds) });
    const left = i < 5 ? '"day";r=999;t=86400' : '"day";r=0;t=100';
    expect(answer.headers.get('RateLimit')).toBe(`"minute";r=0;t=${seconds}, ${left}`);
  }
});

test('the service checks the quota before it reports any other error, and creates nothing for a denied request', async () => {
  // The denied requests cause no ban, because a ban needs more strikes than half of the limit per
  // minute.
  const caller = await createCaller({ perMinute: 1_000, perDay: 1 });
  await caller();
  const before = (await service.call('/pets?limit=100')).text;
  expectError(await caller('/pets', { json: rex }), 429, 'rate_limit_exceeded');
  expect((await service.call('/pets?limit=100')).text).toBe(before);
  const head = await caller('/pets', { method: 'HEAD' });
  expect([head.status, head.text, head.headers.get('Retry-After')]).toEqual([429, '', '86400']);
  for (const path of ['/pets?limit=0', '/nowhere', '/pets/%ff', '/store/orders']) {
    expectError(await caller(path), 429, 'rate_limit_exceeded', /of 1 request a day is/);
  }
});

test('an admitted request uses one request of the quota whatever its status is, and an OPTIONS request uses none', async () => {
  const caller = await createCaller({ perMinute: 10, perDay: 1_000 });
  const requests: [status: number, path: string, options?: CallOptions][] = [
    [400, '/pets?limit=0'],
    [404, '/pets/999'],
    [404, '/nowhere'],
    [405, '/pets', { method: 'DELETE' }],
    [400, '/pets', { json: '{' }],
    [501, '/store/orders'],
    [200, '/pets', { method: 'HEAD' }],
  ];
  for (const [i, [status, path, options]] of requests.entries()) {
    const answer = await caller(path, options);
    expect([answer.status, leftOf(answer, 'day')]).toEqual([status, 999 - i]);
  }
  for (const headers of [preflight, {}]) {
    expect((await caller('/pets', { method: 'OPTIONS', headers })).status).toBe(204);
  }
  expect(leftOf(await caller(), 'day')).toBe(999 - requests.length);
});

describe('GET /rate-limit', () => {
  test('GET /rate-limit shows both quota windows and the plan of the API key, and does not count against the quota', async () => {
    const caller = await createCaller({ perMinute: 10, perDay: 100 });
    const reported = rateLimitOf(await caller());
    const status = {
      ...{ plan: 'enterprise', subject: 'key', bannedUntil: null, warned: false, reported },
      windows: {
        minute: { limit: 10, remaining: 9, resetsAt: inSeconds(60) },
        day: { limit: 100, remaining: 99, resetsAt: inSeconds(86_400) },
      },
    };
    expect([await caller.status(), await caller.status()]).toEqual([status, status]);
    expect(rateLimitOf(await caller()).remaining).toBe(8);
  });

  test('GET /rate-limit reports the same numbers and the same ban as a response with 429, and never causes a ban', async () => {
    const caller = await createCaller({ perMinute: 1, perDay: 1 });
    const denied = (await caller.inTurn(3)).at(-1) as Answer;
    const notBanned = { bannedUntil: null, warned: false, reported: rateLimitOf(denied) };
    for (let i = 0; i < 10; i += 1) expect(await caller.status()).toMatchObject(notBanned);
    await caller();
    expect(await caller.status()).toMatchObject({ warned: true });
    const banned = (await caller.inTurn(3)).at(-1) as Answer;
    expectError(banned, 429, 'key_temporarily_banned');
    const status = { bannedUntil: inSeconds(100), warned: false, reported: rateLimitOf(banned) };
    expect(await caller.status()).toMatchObject(status);
  });

  test("GET /rate-limit has its own limit of 60 requests a minute, which is separate from the API key's quota", async () => {
    const caller = await createCaller({ perMinute: 10, perDay: 1_000 });
    const answers = await Promise.all(Array.from({ length: 61 }, () => caller('/rate-limit')));
    const [denied, ...others] = answers.filter(({ status }) => status !== 200);
    expect(others).toEqual([]);
    const used = /^The limit of 60 requests a minute is used up until /;
    expectError(denied as Answer, 429, 'rate_limit_exceeded', used);
    expect(rateLimitOf(denied as Answer)).toMatchObject({ limit: 60, remaining: 0 });
    expect((await caller()).status).toBe(200);
  });
});
