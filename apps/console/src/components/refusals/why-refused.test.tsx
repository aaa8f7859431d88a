// @vitest-environment happy-dom
import { screen } from '@testing-library/preact';
import { expect, test } from 'vitest';
import { renderAt } from '../../../test/render-at.tsx';
import type { Denials, Refusal } from './refusals.ts';
import { WhyRefused } from './why-refused.tsx';

const at = '2026-03-03T10:00:00.000Z';
const none: Denials = { from: at, to: at, buckets: [], denied: 0, refused: 0, requests: 0 };

function show(refusals: readonly Refusal[], denials: Denials = none): string {
  renderAt(
    '#/key/a',
    <WhyRefused
      kind="key"
      name="shop"
      account="C-5"
      quota={{ perMinute: 60, perDay: 1_000 }}
      refusals={refusals}
      denials={denials}
    />,
  );
  return screen.getByRole('region', { name: 'Request status' }).textContent ?? '';
}

test.each<[Refusal, title: string, text: RegExp]>([
  [{ why: 'revoked', since: at }, 'Revoked', /^Revoked on .* Every request gets a 401/],
  [
    { why: 'banned', until: at },
    'Banned',
    /Banned until .* gets a 429 until the ban ends or you unban the key/,
  ],
  [
    { why: 'suspended', subject: 'key', since: at, reason: 'unpaid' },
    'Suspended',
    /Suspended since .* gets a 403 until the key is resumed\. Reason: unpaid/,
  ],
  [
    { why: 'suspended', subject: 'account', since: at, reason: null },
    'Suspended',
    /Its account C-5 is suspended since .* All keys of the account get a 403/,
  ],
  [
    { why: 'used up', subject: 'key', window: 'minute', limit: 60, until: at },
    'Limit reached',
    /The limit per minute is used up until .* Every request gets a 429/,
  ],
  [
    { why: 'used up', subject: 'account', window: 'day', limit: 60, until: at },
    'Limit reached',
    /The daily limit of its account C-5 is used up until/,
  ],
])(
  'the console explains why requests are refused, for the reason %o, under the heading "%s"',
  (refusal, title, text) => {
    show([refusal]);
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(title);
    const sentence = document.querySelector('.state')?.textContent?.trim().replaceAll(/\s+/g, ' ');
    expect(sentence).toMatch(text);
  },
);

test('when there is no reason to refuse requests, the console says that they are accepted, and offers no letter to the customer', () => {
  const text = show([]);
  expect(text).toContain('No requests were denied in the selected period.');
  expect(text.match(/accepted/g)).toHaveLength(1);
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Requests are accepted');
  expect(screen.queryByRole('button')).toBeNull();
});

test('the console shows the number of denied requests in the selected period, and offers a letter to the customer', () => {
  const bucket = (time: string) => ({
    at: new Date(time),
    total: 10,
    counts: { ok: 5, client_error: 0, server_error: 0, denied: 4, banned: 1, refused: 0 },
  });
  const buckets = [bucket('2026-03-03T10:00:00Z'), bucket('2026-03-03T10:02:00Z')];
  const text = show([], { ...none, buckets, denied: 10, refused: 2, requests: 1_200 });
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    /In the selected period, 10 of 1,200 requests were denied with 429, from .* to .*\. 2 were refused with 401 or 403\./,
  );
  screen.getByRole('button', { name: 'Write to the customer…' });
});
