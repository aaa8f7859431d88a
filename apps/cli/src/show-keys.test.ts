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
