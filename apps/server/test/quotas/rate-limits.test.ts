import { RateLimitStatus } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import {
  expectError,
  expectResponseHeaders,
  rateLimitOf,
  windowsOf,
} from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import { createTestClock } from '../support/test-clock.ts';
import { type CallOptions, startService, type TestService } from '../support/test-service.ts';

// What is admitted, denied and banned: quota-rule.test.ts. Here is what HTTP adds.

const minute = (perMinute: number) => ({ perMinute, perDay: 1_000 });
/** Each for one test. */
const quotas = {
  // So many strikes that it is not banned.
  denied: { perMinute: 1_000, perDay: 1 },
  strikes: minute(1),
  errors: minute(6),
  free: minute(4),
  counted: { perMinute: 10, perDay: 100 },
  statusStrikes: minute(1),
  usedUp: { perMinute: 1, perDay: 1 },
  eager: minute(10),
};
type KeyName = keyof typeof quotas;

// Its clock stands still, on a whole second: no window ends, and every wait is exact.
const now = Math.ceil(Date.now() / 1_000);
const inSeconds = (seconds: number) => new Date((now + seconds) * 1_000).toISOString();
const rex = '{"name":"Rex","categoryId":1}';
const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };

let service: TestService;
const keys = new Map<string, string>();

beforeAll(async () => {
  const clock = createTestClock(now * 1_000);
  service = await startService('postgres', {
    ...{ clock, quotaClock: clock },
    // More than 4 strikes, or half the limit, ban; nothing counts as still in flight.
    env: { BAN_GRACE_MS: '0', BAN_MIN_STRIKES: '4', BAN_SECONDS: '100', TRUST_PROXY: '1' },
    async prepare(db) {
      for (const [name, quota] of Object.entries(quotas)) {
        keys.set(name, (await createApiKey(db, { name, plan: 'enterprise', quota })).token);
      }
    },
  });
  await service.call('/pets', { json: rex });
  await callAs('denied');
});
afterAll(() => service[Symbol.asyncDispose]());

const callAs = (name: KeyName, path = '/pets', options: CallOptions = {}) =>
  service.call(path, { token: keys.get(name) ?? null, ...options });

async function inTurn(name: KeyName, times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i += 1) answers.push(await callAs(name));
  return answers;
}

test.each<[status: number, path: string, options?: CallOptions]>([
  [200, '/pets'],
  [404, '/nowhere'],
  [401, '/pets', { token: 'wrong' }],
  [204, '/pets', { method: 'OPTIONS', token: null, headers: preflight }],
])(
  'a %d of %s tells the limits of the key, or of the network',
  async (status, path, options = {}) => {
    // Of a network of its own, whose minute begins: it ends by the clock of the machine.
    const headers = { ...options.headers, 'X-Forwarded-For': `192.0.2.${status - 200}` };
    const answer = await service.call(path, { ...options, headers });
    expect(answer.status).toBe(status);
    expectResponseHeaders(answer);
    const { limit, remaining, reset } = rateLimitOf(answer);
    const hasKey = options.token === undefined;
    expect({ limit, reset }).toEqual({ limit: hasKey ? 1_000_000 : 60, reset: now + 60 });
    const policy = `"minute";q=${limit};w=60${hasKey ? ', "day";q=10000000;w=86400' : ''}`;
    expect(answer.headers.get('RateLimit-Policy')).toBe(policy);
    const day = windowsOf(answer)['day'];
    const left = `"minute";r=${remaining};t=60${hasKey ? `, "day";r=${day?.remaining};t=86400` : ''}`;
    expect(answer.headers.get('RateLimit')).toBe(left);
    expect(answer.headers.has('Retry-After')).toBe(false);
  },
);

test('a 429 says when to retry, warns from half of the strikes on, and tells the end of a ban', async () => {
  const answers = await inTurn('strikes', 8);
  expect(answers[0]?.status).toBe(200);
  const opensAt = inSeconds(60).replace('.000', '');
  const denied = `The limit of 1 request a minute is used up until ${opensAt}. Retry after 60 s.`;
  const warned = `${denied} If it keeps sending requests before then, this API key will be banned for a while.`;
  for (const [i, answer] of answers.slice(1, 6).entries()) {
    // After no, one, two, three and four strikes of four.
    const message = i < 2 ? denied : warned;
    expectError(answer, 429, 'rate_limit_exceeded');
    expect(answer.body).toEqual({ code: 'rate_limit_exceeded', message, status: 429 });
    expect(answer.headers.get('Retry-After')).toBe('60');
    expect(rateLimitOf(answer)).toEqual({ limit: 1, remaining: 0, reset: now + 60 });
    expect(answer.headers.get('RateLimit')).toBe('"minute";r=0;t=60, "day";r=999;t=86400');
  }
  const bannedUntil = inSeconds(100).replace('.000', '');
  const banned = `This API key is temporarily banned until ${bannedUntil} because it kept sending requests after a 429\\. Retry after 100 s\\.`;
  for (const answer of answers.slice(6)) {
    expectError(answer, 429, 'key_temporarily_banned', new RegExp(`^${banned}$`));
    expect(answer.headers.get('Retry-After')).toBe('100');
    expect(rateLimitOf(answer)).toEqual({ limit: 1, remaining: 0, reset: now + 100 });
    expect(answer.headers.get('RateLimit')).toBe('"minute";r=0;t=100, "day";r=0;t=100');
  }
});

test('a denied request creates nothing, and is told so before any other error', async () => {
  const before = (await service.call('/pets?limit=100')).text;
  expectError(await callAs('denied', '/pets', { json: rex }), 429, 'rate_limit_exceeded');
  expect((await service.call('/pets?limit=100')).text).toBe(before);
  const head = await callAs('denied', '/pets', { method: 'HEAD' });
  expect([head.status, head.text, head.headers.get('Retry-After')]).toEqual([429, '', '86400']);
  for (const path of ['/pets?limit=0', '/nowhere', '/pets/%ff', '/store/orders']) {
    expectError(await callAs('denied', path), 429, 'rate_limit_exceeded', /of 1 request a day is/);
  }
});

test('an admitted request costs one, whatever its status', async () => {
  const answers = [
    await callAs('errors', '/pets?limit=0'),
    await callAs('errors', '/pets/999'),
    await callAs('errors', '/nowhere'),
    await callAs('errors', '/pets', { method: 'DELETE' }),
    await callAs('errors', '/pets', { json: '{' }),
    await callAs('errors', '/store/orders'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 404, 404, 405, 400, 501]);
  expect(answers.map((answer) => rateLimitOf(answer).remaining)).toEqual([5, 4, 3, 2, 1, 0]);
  expect(answers.map((answer) => windowsOf(answer)['day']?.remaining)).toEqual([
    999, 998, 997, 996, 995, 994,
  ]);
  expectError(await callAs('errors'), 429, 'rate_limit_exceeded');
});

test('HEAD costs one, and OPTIONS nothing, whether it is a preflight or not', async () => {
  const remaining = async (method: string) =>
    rateLimitOf(await callAs('free', '/pets', { method })).remaining;
  expect(await remaining('HEAD')).toBe(3);
  const options = { method: 'OPTIONS', headers: preflight };
  expect((await callAs('free', '/pets', options)).status).toBe(204);
  expect((await callAs('free', '/pets', { method: 'OPTIONS' })).status).toBe(204);
  expect(await remaining('GET')).toBe(2);
  const ofNetwork = async () =>
    rateLimitOf(await service.call('/pets', { ...options, token: null })).remaining;
  expect(await ofNetwork()).toBe(await ofNetwork());
});

describe('the rate-limit status', () => {
  const path = '/rate-limit';

  /** The body of a 200, which must be one of the contract's. */
  async function statusOf(name: KeyName) {
    const answer = await callAs(name, path);
    expect(answer.status).toBe(200);
    expectResponseHeaders(answer);
    return { ...RateLimitStatus.parse(answer.body), told: rateLimitOf(answer) };
  }

  test('shows both windows and the plan, and costs nothing', async () => {
    const told = rateLimitOf(await callAs('counted'));
    for (let i = 0; i < 3; i += 1) {
      expect(await statusOf('counted')).toEqual({
        plan: 'enterprise',
        subject: 'key',
        windows: {
          minute: { limit: 10, remaining: 9, resetsAt: inSeconds(60) },
          day: { limit: 100, remaining: 99, resetsAt: inSeconds(86_400) },
        },
        bannedUntil: null,
        warned: false,
        told,
      });
    }
    expect(rateLimitOf(await callAs('counted')).remaining).toBe(8);
  });

  test('is no strike of a denied key, warns from half of them on, and shows the end of a ban', async () => {
    await inTurn('statusStrikes', 3);
    for (let i = 0; i < 10; i += 1) {
      expect(await statusOf('statusStrikes')).toMatchObject({ bannedUntil: null, warned: false });
    }
    await callAs('statusStrikes');
    expect((await statusOf('statusStrikes')).warned).toBe(true);
    const refused = (await inTurn('statusStrikes', 3)).at(-1) as Answer;
    expectError(refused, 429, 'key_temporarily_banned');
    const status = { bannedUntil: inSeconds(100), warned: false, told: rateLimitOf(refused) };
    expect(await statusOf('statusStrikes')).toMatchObject(status);
  });

  test('tells the same window as a denial, if both are used up', async () => {
    const [, denied] = await inTurn('usedUp', 2);
    expect((await statusOf('usedUp')).told).toEqual(rateLimitOf(denied as Answer));
  });

  test('has an allowance of 60 a minute, which is no quota', async () => {
    const answers = await Promise.all(Array.from({ length: 61 }, () => callAs('eager', path)));
    const [denied, ...others] = answers.filter(({ status }) => status !== 200);
    expect(others).toEqual([]);
    const used = /^The limit of 60 requests a minute is used up until /;
    expectError(denied as Answer, 429, 'rate_limit_exceeded', used);
    expect(rateLimitOf(denied as Answer)).toMatchObject({ limit: 60, remaining: 0 });
    expect((await callAs('eager')).status).toBe(200);
  });
});
