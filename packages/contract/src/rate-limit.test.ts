import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRateLimit, parseRateLimit } from './rate-limit.ts';

/**
 * Calls `parseRateLimit` with the given fields. Unlike the names in a `Headers` object, their names
 * are case-sensitive.
 */
const parse = (fields: Record<string, string | undefined>) =>
  parseRateLimit((name) => fields[name] ?? null);

test('formatRateLimit writes the most restrictive window to X-RateLimit-*, and every window to RateLimit-Policy and RateLimit', () => {
  const minute = {
    name: 'minute',
    ...{ limit: 60, remaining: 42, resetAt: 1795219230, resetInSeconds: 30 },
  } as const;
  const day = {
    name: 'day',
    ...{ limit: 1000, remaining: 900, resetAt: 1795222800, resetInSeconds: 3600 },
  } as const;
  expect(formatRateLimit(minute, [minute, day])).toEqual({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '42',
    'X-RateLimit-Reset': '1795219230',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    RateLimit: '"minute";r=42;t=30, "day";r=900;t=3600',
  });
});

test('parseRateLimit reads the headers that formatRateLimit wrote', () => {
  const whole = fc.nat();
  fc.assert(
    fc.property(fc.record({ limit: whole, remaining: whole, resetAt: whole }), (reported) => {
      expect(parse(formatRateLimit(reported, []))).toEqual(reported);
    }),
    { seed: 1 },
  );
});

test.each(['', '-1', '1.5', '1e3', '60, 60', 'sixty', '9'.repeat(16), undefined])(
  'parseRateLimit returns undefined when one of the three fields is %j',
  (field) => {
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
      const fields = formatRateLimit({ limit: 60, remaining: 0, resetAt: 1795219260 }, []);
      expect(parse({ ...fields, [name]: field }), name).toBeUndefined();
    }
  },
);
