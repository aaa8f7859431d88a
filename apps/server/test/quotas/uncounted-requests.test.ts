import { expect, test } from 'vitest';
import { followStatements } from '../../src/database/statement.ts';
import { createToken } from '../../src/keys/token.ts';
import { createTestClock } from '../support/test-clock.ts';
import { useService } from '../support/test-service.ts';

// Its clock stands still, so nothing works in the background.
const clock = createTestClock(Date.now());
const service = useService('postgres', { clock, env: { TRUST_PROXY: '1' } });

const callers = 20;
const times = 200;

// Regression: each token with a valid checksum cost a query, even if its network had no quota left.
test('made-up tokens cost few queries once their network has used up its quota', async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.2' };
  const ask = async (token: string) => (await service.call('/pets', { token, headers })).status;
  const lookUps: string[] = [];
  const stopFollowing = followStatements((name) => lookUps.push(name));
  const statuses: number[] = [];
  const askAll = async () => {
    for (let n = 0; n < times / callers; n += 1) statuses.push(await ask(createToken()));
  };
  await Promise.all(Array.from({ length: callers }, askAll));
  stopFollowing();
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(times - 60);
  // Those that are in flight when the quota runs out, and then ten look-ups.
  const found = lookUps.filter((name) => name === 'find_key_by_token').length;
  expect(found).toBeGreaterThanOrEqual(60);
  expect(found).toBeLessThanOrEqual(60 + 10 + 2 * callers);
});

test('keys are served although their network has used up its quota', async () => {
  const { business, enterprise } = service.tokens;
  const ask = async (token: string | null) => {
    const headers = { 'X-Forwarded-For': '203.0.113.3' };
    return (await service.call('/pets', { token, headers })).status;
  };
  for (let n = 0; n < 60; n += 1) await ask(null);
  expect(await ask(null)).toBe(429);
  // One that this replica knows, and one that it has not seen yet.
  await service.call('/pets', { token: enterprise });
  for (const token of [enterprise, business]) expect(await ask(token)).toBe(200);
});
