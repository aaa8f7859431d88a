import { adminContract, type KeyDetails } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { showKey } from './show-keys.ts';

const examples = adminContract.getKey.responses[200].meta()?.['examples'];
const [details] = examples as [KeyDetails];

const stateOf = (bannedUntil: string | null, key: Partial<KeyDetails> = {}) => {
  const usage = { ...details.usage, bannedUntil };
  return / State +(.*)/.exec(showKey({ ...details, ...key, usage }))?.[1];
};

test('showKey shows a ban as the state of an active key, as the list of keys does', () => {
  const until = '2026-11-21T12:05:00.000Z';
  expect(stateOf(null)).toBe('active');
  expect(stateOf(until)).toBe('banned');
  expect(stateOf(until, { state: 'suspended' })).toBe('suspended');
});

// Regression: the CLI said that the replaced token of a revoked key was still valid.
test.each<[KeyDetails['state'], string]>([
  ['active', 'ast_0001…  replaced, valid until 2026-11-22 12:00:00Z'],
  ['suspended', 'ast_0001…  replaced, valid until 2026-11-22 12:00:00Z'],
  ['revoked', 'ast_0001…  replaced'],
  ['expired', 'ast_0001…  replaced'],
])('showKey describes the replaced token of a key in the state %s', (state, expected) => {
  const { createdAt } = details;
  const tokens = [
    { prefix: 'ast_0002', createdAt, expiresAt: null },
    { prefix: 'ast_0001', createdAt, expiresAt: '2026-11-22T12:00:00.000Z' },
  ];
  expect(showKey({ ...details, state, tokens })).toMatch(new RegExp(`${expected}$`, 'm'));
});
