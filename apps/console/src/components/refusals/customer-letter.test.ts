import { expect, test } from 'vitest';
import { type LetterSubject, writeLetter } from './customer-letter.ts';
import type { Refusal } from './refusals.ts';

const bucketAt = (time: string, denied: number, total: number) => ({
  at: new Date(`2026-11-21T${time}:00.000Z`),
  counts: { ok: total - denied, client_error: 0, server_error: 0, denied, banned: 0, refused: 0 },
  total,
});

const subject: LetterSubject = {
  kind: 'key',
  name: 'acme',
  quota: { perMinute: 1_000, perDay: 100_000 },
  refusals: [],
  denials: {
    from: '2026-11-21T08:31:00.000Z',
    to: '2026-11-21T09:31:00.000Z',
    buckets: [bucketAt('09:12', 34, 1_034), bucketAt('09:14', 6, 1_006)],
    denied: 40,
    refused: 0,
    requests: 9_040,
  },
};

const noDenials = { ...subject.denials, buckets: [], denied: 0 };

test('the letter to a customer says which limit is used up, when requests were denied, when the limit resets, and what to do', () => {
  const letter = writeLetter({
    ...subject,
    refusals: [
      {
        why: 'used up',
        subject: 'key',
        window: 'minute',
        limit: 1_000,
        until: '2026-11-21T09:31:20.500Z',
      },
    ],
  });
  expect(letter).toEqual({
    title: 'Requests of the API key “acme” are refused',
    body: `Hello,

requests to the Animal Store API with the API key “acme” are refused.

The limit of 1,000 requests a minute is used up. The limit resets at 2026-11-21 09:31:20 UTC. Until then every request gets status 429, code rate_limit_exceeded.

Between 2026-11-21 08:31:00 UTC and 2026-11-21 09:31:00 UTC, 40 of 9,040 requests got status 429. The first 429 was at 2026-11-21 09:12 UTC, the last at 2026-11-21 09:14 UTC.

The limits are 1,000 requests a minute and 100,000 requests a day.

What you can do:
- After a 429, wait the number of seconds in its Retry-After header. Requests that do not wait lead to a ban.
- Spread your requests. X-RateLimit-Remaining says how many are left until the time in X-RateLimit-Reset.
- Answer this message if you need higher limits.
`,
  });
});

test('the letter to a customer uses the past tense when requests are no longer refused, and says how many requests got 401 or 403', () => {
  const letter = writeLetter({ ...subject, denials: { ...noDenials, refused: 7 } });
  expect(letter?.title).toBe('Requests of the API key “acme” were refused');
  expect(letter?.body).toContain('7 of 9,040 requests got status 401 or 403.');
});

const until = '2026-11-21T09:31:20.000Z';
const since = '2026-11-21T09:00:00.000Z';

// The customer must not read the operators' reason for the suspension, so the letter lacks the word
// "fraud".
test.each<[Refusal, string]>([
  [
    { why: 'suspended', subject: 'account', since, reason: 'fraud' },
    'has been suspended since 2026-11-21 09:00:00 UTC. Every request gets status 403',
  ],
  [{ why: 'banned', until }, 'banned until 2026-11-21 09:31'],
  [
    { why: 'keys banned', banned: 3, keys: 7, until, share: 0.87 },
    '3 of its 7 API keys are banned until 2026-11-21 09:31:20 UTC at the latest',
  ],
  [{ why: 'keys full', full: 1, keys: 1, until }, 'Its only API key is denied'],
  [{ why: 'keys suspended', suspended: 2, keys: 2 }, 'All 2 of its API keys are suspended'],
  [{ why: 'no key' }, 'need a new key'],
  [{ why: 'expired', since }, 'need a new key'],
])(
  'the letter to a customer explains why requests are refused when the reason is %o',
  (refusal, text) => {
    const letter = writeLetter({ ...subject, refusals: [refusal], denials: noDenials });
    expect(letter?.body).toContain(text);
    expect(letter?.body).not.toContain('fraud');
  },
);

test('writeLetter returns undefined when no request is refused now and none was refused in the period', () => {
  expect(writeLetter({ ...subject, denials: noDenials })).toBeUndefined();
});
