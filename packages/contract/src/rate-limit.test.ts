import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRateLimit, parseRateLimit, rateLimitHeaders, windowSeconds } from './rate-limit.ts';

/** As `Headers.get` does, apart from the case of names. */
function get(fields: Record<string, string>) {
  return (name: string) => fields[name] ?? null;
}

test('the names and lengths are those of the specification', () => {
  expect(rateLimitHeaders).toEqual({
    limit: 'X-RateLimit-Limit',
    remaining: 'X-RateLimit-Remaining',
    reset: 'X-RateLimit-Reset',
    policies: 'RateLimit-Policy',
    state: 'RateLimit',
    retryAfter: 'Retry-After',
  });
  expect(windowSeconds).toEqual({ minute: 60, day: 86_400 });
});

test('the reported window has the headers of the specification, every window those of the draft', () => {
  const minute = {
    name: 'minute',
    limit: 60,
    remaining: 42,
    resetAt: 1795219230,
    resetInSeconds: 30,
  } as const;
  const day = {
    name: 'day',
    limit: 1000,
    remaining: 900,
    resetAt: 1795222800,
    resetInSeconds: 3600,
  } as const;
  expect(formatRateLimit(minute, [minute, day])).toEqual({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '42',
    'X-RateLimit-Reset': '1795219230',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    RateLimit: '"minute";r=42;t=30, "day";r=900;t=3600',
  });
  expect(formatRateLimit(day, [day])).toMatchObject({
    'X-RateLimit-Limit': '1000',
    'RateLimit-Policy': '"day";q=1000;w=86400',
    RateLimit: '"day";r=900;t=3600',
  });
});

describe('parseRateLimit', () => {
  test('reads what formatRateLimit wrote', () => {
    const whole = fc.nat();
    fc.assert(
      fc.property(fc.record({ limit: whole, remaining: whole, resetAt: whole }), (reported) => {
        expect(parseRateLimit(get(formatRateLimit(reported, [])))).toEqual(reported);
      }),
      { seed: 1 },
    );
  });

  test.each(['', '-1', '1.5', '1e3', '0x10', '60, 60', 'sixty', '9'.repeat(16), undefined])(
    'gives nothing if a field is %j',
    (field) => {
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        const fields = {
          'X-RateLimit-Limit': '60',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': '1795219260',
        };
        expect(parseRateLimit(get(fields))).toBeDefined();
        const others = Object.entries(fields).filter(([other]) => other !== name);
        const changed = field === undefined ? others : [...others, [name, field]];
        expect(parseRateLimit(get(Object.fromEntries(changed))), name).toBeUndefined();
      }
    },
  );
});
