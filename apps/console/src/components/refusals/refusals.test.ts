import type { AccountDetails, KeyState } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { findDenials, refusalsOfAccount } from './refusals.ts';

const until = '2026-11-25T10:00:00.000Z';
const windows = (remaining: number) => ({
  minute: { limit: 3, remaining, resetsAt: until },
  day: { limit: 100, remaining: 97, resetsAt: '2026-11-26T00:00:00.000Z' },
});
const keysIn = (...states: KeyState[]) =>
  states.map((state) => ({ state })) as AccountDetails['newestKeys'];

/** Creates an account without a plan. Its keys are in different states. */
const account = (more: Partial<AccountDetails>): AccountDetails => ({
  account: 'C-5',
  plan: null,
  quota: null,
  suspension: null,
  keys: 1,
  bannedKeys: 0,
  suspendedKeys: 0,
  requestsToday: 10,
  deniedToday: 0,
  usage: null,
  bans: [],
  fullKeys: [],
  busiestKeys: [],
  newestKeys: keysIn('active'),
  ...more,
});
const ban = { keyId: 'a', name: 'shop', until };

test.each<[string, Partial<AccountDetails>, string[]]>([
  ['no reason when the key of the account is active', {}, []],
  ['the oldest of 101 keys is banned', { keys: 101, bannedKeys: 1, bans: [ban] }, ['keys banned']],
  [
    'the key has used up its own limit per minute',
    { fullKeys: [{ keyId: 'a', name: 'shop', windows: windows(0) }] },
    ['keys full'],
  ],
  ['the only key is revoked', { keys: 0, newestKeys: keysIn('revoked') }, ['no key']],
  [
    'the oldest of 101 keys is suspended',
    { keys: 101, suspendedKeys: 1, newestKeys: keysIn('active') },
    ['keys suspended'],
  ],
  [
    'the account is suspended',
    { suspension: { at: until, reason: null }, suspendedKeys: 1, newestKeys: keysIn('suspended') },
    ['suspended'],
  ],
  [
    'the account has a plan, and has used up the limit per minute',
    {
      plan: 'free',
      quota: { perMinute: 3, perDay: 100 },
      usage: { scope: 'service', windows: windows(0) },
    },
    ['used up'],
  ],
])(
  'refusalsOfAccount returns every reason why requests of an account are refused: %s',
  (_, more, reasons) => {
    expect(refusalsOfAccount(account(more)).map(({ why }) => why)).toEqual(reasons);
  },
);

test('refusalsOfAccount returns the share of the account’s requests that came from banned keys, or undefined if the share is unknown', () => {
  const busy = { keyId: 'a', name: 'shop', account: 'C-5', plan: 'free', requests: 8 } as const;
  const of = (...bans: AccountDetails['bans']) =>
    refusalsOfAccount(account({ bannedKeys: 1, bans, busiestKeys: [busy] }));
  expect(of(ban)).toEqual([{ why: 'keys banned', banned: 1, keys: 1, until, share: 0.8 }]);
  expect(of(ban, { ...ban, keyId: 'b' })).toMatchObject([{ share: undefined }]);
});

test('findDenials counts requests with 401 or 403 separately from requests with 429', () => {
  const row = (outcome: 'ok' | 'denied' | 'banned' | 'refused', requests: number) =>
    ({ at: until, operation: 'listPets', outcome, requests }) as const;
  const denials = findDenials({
    from: until,
    to: '2026-11-25T10:01:00.000Z',
    bucket: 'minute',
    rows: [row('ok', 20), row('denied', 3), row('banned', 2), row('refused', 7)],
  });
  expect(denials).toMatchObject({ denied: 5, refused: 7, requests: 32 });
});
