import { windowSeconds } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectError,
  expectResponseHeaders,
  rateLimitOf,
  windowsOf,
} from '../support/expectations.ts';
import type { Answer } from '../support/send.ts';
import { type Keys, startWithKeys } from '../support/service-with-keys.ts';
import type { CallOptions, TestService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

describe('quotas', () => {
  let service: TestService;
  let keys: Keys;
  /** Unix time in seconds, at which the server's clock stands still. */
  let now: number;

  beforeAll(async () => {
    ({ service, keys, now } = await startWithKeys({
      denied: { perMinute: 1, perDay: 1_000 },
      errors: { perMinute: 6, perDay: 1_000 },
      free: { perMinute: 3, perDay: 1_000 },
      day: { perMinute: 100, perDay: 3 },
      both: { perMinute: 3, perDay: 3 },
      tie: { perMinute: 50, perDay: 50 },
      dayIsLess: { perMinute: 50, perDay: 20 },
      window: { perMinute: 40, perDay: 1_000 },
      race: { perMinute: 1_000, perDay: 25 },
      preflight: { perMinute: 2, perDay: 1_000 },
      head: { perMinute: 2, perDay: 1_000 },
    }));
    await service.call('/pets', { json: rex });
    await service.call('/pets', { json: rex, headers: { 'Idempotency-Key': 'taken' } });
    await service.call('/pets', { token: keys['denied'] ?? '' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const callAs = (name: string, path = '/pets', options: CallOptions = {}) => {
    const token = keys[name];
    if (token === undefined) throw new Error(`There is no key ${name}.`);
    return service.call(path, { token, ...options });
  };
  const inTurn = async (name: string, times: number) => {
    const answers: Answer[] = [];
    for (let i = 0; i < times; i += 1) answers.push(await callAs(name));
    return answers;
  };

  describe('every response has the headers', () => {
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    const answers: readonly [string, number, () => Promise<Answer>][] = [
      ['200', 200, () => service.call('/pets')],
      ['200 of one animal', 200, () => service.call('/pets/1')],
      ['200 to HEAD', 200, () => service.call('/pets', { method: 'HEAD' })],
      ['201', 201, () => service.call('/pets', { json: rex })],
      [
        '201 again',
        201,
        () => service.call('/pets', { json: rex, headers: { 'Idempotency-Key': 'taken' } }),
      ],
      [
        '204 to a preflight',
        204,
        () => service.call('/pets', { method: 'OPTIONS', token: null, headers: preflight }),
      ],
      ['400 of the query', 400, () => service.call('/pets?limit=0')],
      ['400 of the body', 400, () => service.call('/pets', { json: '{}' })],
      ['400 of JSON', 400, () => service.call('/pets', { json: '{' })],
      ['400 of the path', 400, () => service.call('/pets/x')],
      ['401 without a key', 401, () => service.call('/pets', { token: null })],
      ['401 with a wrong key', 401, () => service.call('/pets', { token: 'wrong' })],
      ['404 of an animal', 404, () => service.call('/pets/999')],
      ['404 of a path', 404, () => service.call('/nowhere')],
      ['405', 405, () => service.call('/pets', { method: 'DELETE' })],
      ['413', 413, () => service.call('/pets', { json: `"${'x'.repeat(20_000)}"` })],
      [
        '415',
        415,
        () => service.call('/pets', { json: rex, headers: { 'Content-Type': 'text/plain' } }),
      ],
      [
        '422',
        422,
        () =>
          service.call('/pets', {
            json: '{"name":"A","categoryId":1}',
            headers: { 'Idempotency-Key': 'taken' },
          }),
      ],
      ['429', 429, () => callAs('denied')],
      ['501', 501, () => service.call('/store/orders')],
    ];

    test.each(answers)('%s', async (_name, status, send) => {
      const answer = await send();
      expect(answer.status).toBe(status);
      expectResponseHeaders(answer);
      const { limit, remaining, reset } = rateLimitOf(answer);
      expect(remaining).toBeLessThanOrEqual(limit);
      expect(reset).toBeGreaterThanOrEqual(now);
      expect(reset).toBeLessThanOrEqual(now + windowSeconds.minute + 1);
      expect(answer.headers.get('RateLimit-Policy')).toMatch(
        /^"minute";q=\d+;w=60(?:, "day";q=\d+;w=86400)?$/,
      );
      expect(answer.headers.get('RateLimit')).toMatch(
        /^"minute";r=\d+;t=\d+(?:, "day";r=\d+;t=\d+)?$/,
      );
      expect(windowsOf(answer)['minute']?.remaining).toBe(remaining);
      expect(answer.headers.has('Retry-After')).toBe(status === 429);
    });
  });

  describe('counting', () => {
    test.each([
      ['free', 60],
      ['pro', 300],
    ] as const)('the plan %s admits exactly %d of many at once', async (plan, limit) => {
      const answers = await Promise.all(
        Array.from({ length: limit + 140 }, () =>
          service.call('/pets', { token: service.tokens[plan] }),
        ),
      );
      const admitted = answers.filter(({ status }) => status === 200);
      expect(admitted).toHaveLength(limit);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(140);
      const remaining = admitted.map((answer) => rateLimitOf(answer).remaining);
      expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, i) => i));
    });

    test('the day admits exactly its limit of many requests at once', async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => callAs('race')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(25);
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

    test('a denied request costs nothing in either window', async () => {
      const answers = await inTurn('free', 8);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
      expect(answers.map((answer) => windowsOf(answer)['day']?.remaining)).toEqual([
        999, 998, 997, 997, 997, 997, 997, 997,
      ]);
    });

    test('a request that the day denies costs nothing in the minute', async () => {
      const answers = await inTurn('day', 6);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429]);
      expect(answers.map((answer) => windowsOf(answer)['minute']?.remaining)).toEqual([
        99, 98, 97, 97, 97, 97,
      ]);
    });

    test('HEAD costs one', async () => {
      const head = () => callAs('head', '/pets', { method: 'HEAD' });
      expect(rateLimitOf(await head()).remaining).toBe(1);
      expect(rateLimitOf(await head()).remaining).toBe(0);
      const denied = await head();
      expect(denied.status).toBe(429);
      expect(denied.text).toBe('');
      expect(denied.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    });

    test('a preflight costs nothing, of a key or an address', async () => {
      const preflight = (token: string | null) =>
        service.call('/pets', {
          method: 'OPTIONS',
          token,
          headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
        });
      const before = rateLimitOf(await preflight(null));
      expect(rateLimitOf(await preflight(null)).remaining).toBe(before.remaining);
      await preflight(keys['preflight'] ?? '');
      expect(rateLimitOf(await callAs('preflight')).remaining).toBe(1);
    });

    test('OPTIONS that is not a preflight costs nothing either', async () => {
      const before = rateLimitOf(await callAs('window'));
      expect((await callAs('window', '/pets', { method: 'OPTIONS' })).status).toBe(204);
      expect(rateLimitOf(await callAs('window')).remaining).toBe(before.remaining - 1);
    });

    test('keys do not share a quota', async () => {
      const before = windowsOf(await service.call('/pets'))['day']?.remaining ?? 0;
      await callAs('window');
      expect(windowsOf(await service.call('/pets'))['day']?.remaining).toBe(before - 1);
    });
  });

  describe('reporting', () => {
    test('the minute is reported while it has less left than the day', async () => {
      expect(rateLimitOf(await callAs('window')).limit).toBe(40);
    });

    test('the day is reported once it has less left than the minute', async () => {
      const answer = await callAs('dayIsLess');
      const { limit, remaining, reset } = rateLimitOf(answer);
      expect({ limit, remaining }).toEqual({ limit: 20, remaining: 19 });
      expect(reset - now).toBeGreaterThan(86_000);
    });

    test('if both windows have the same number left, the minute is reported', async () => {
      const answer = await callAs('tie');
      expect(rateLimitOf(answer).reset - now).toBeLessThanOrEqual(61);
    });

    test('if both windows deny, the one that resets later is reported', async () => {
      const answers = await inTurn('both', 4);
      const denied = answers[3];
      if (denied === undefined) throw new Error('No answer came.');
      expectError(
        denied,
        429,
        'rate_limit_exceeded',
        /^The limit of 3 requests a day is used up until /,
      );
      expect(Number(denied.headers.get('Retry-After'))).toBeGreaterThan(86_000);
    });

    test('the reset is identical within a window', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => callAs('window')));
      expect(new Set(answers.map((answer) => rateLimitOf(answer).reset)).size).toBe(1);
    });

    test('RateLimit-Policy holds both windows', async () => {
      expect((await callAs('dayIsLess')).headers.get('RateLimit-Policy')).toBe(
        '"minute";q=50;w=60, "day";q=20;w=86400',
      );
    });
  });

  describe('a 429', () => {
    test('has the Error body and the same wait in its body and headers', async () => {
      const denied = await callAs('denied');
      const retryAfter = denied.headers.get('Retry-After');
      const opensAt = new Date(rateLimitOf(denied).reset * 1_000).toISOString().replace('.000', '');
      expectError(
        denied,
        429,
        'rate_limit_exceeded',
        new RegExp(
          `^The limit of 1 request a minute is used up until ${opensAt}\\. Retry after ${retryAfter} s\\.`,
        ),
      );
      expect(rateLimitOf(denied)).toMatchObject({ limit: 1, remaining: 0 });
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
      expect(windowsOf(denied)['minute']).toEqual({ remaining: 0, seconds: Number(retryAfter) });
    });

    test('creates nothing', async () => {
      const before = (await service.call('/pets?limit=100')).text;
      expectError(await callAs('denied', '/pets', { json: rex }), 429, 'rate_limit_exceeded');
      expect((await service.call('/pets?limit=100')).text).toBe(before);
    });

    test('is sent before any other error of the request', async () => {
      for (const path of ['/pets?limit=0', '/nowhere', '/pets/%ff', '/store/orders']) {
        expectError(await callAs('denied', path), 429, 'rate_limit_exceeded');
      }
    });
  });
});
