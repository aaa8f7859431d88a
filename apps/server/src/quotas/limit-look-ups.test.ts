import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createAllowance } from './allowance.ts';
import { limitLookUps, type NetworkAllowance } from './limit-look-ups.ts';

// The limiters of rate-limiter-flexible go by the clock of the machine.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A network that has used up its allowance. */
async function openUsedUp() {
  const clock = createTestClock();
  const allowance = createAllowance('network', { clock, perMinute: 1 });
  const networks = limitLookUps(allowance);
  expect(await networks.denyGuess('network')).toBeUndefined();
  networks.countWrongGuess('network');
  await networks.take('network');
  return { clock, networks };
}

/** Looks up made-up tokens, one after the other, until that is refused. Returns how many it were. */
async function guess(networks: NetworkAllowance): Promise<number> {
  let lookUps = 0;
  while ((await networks.denyGuess('network')) === undefined) {
    lookUps += 1;
    networks.countWrongGuess('network');
  }
  return lookUps;
}

// Regression: 50 keys that a replica did not know, in a network with nothing left, took 40 s to pass.
test('look-ups that find a key are not counted', async () => {
  const { networks } = await openUsedUp();
  for (let i = 0; i < 50; i += 1) expect(await networks.denyGuess('network')).toBeUndefined();
});

// Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
test('a network that has used up its allowance gets ten look-ups, however many requests are in flight', async () => {
  const { networks } = await openUsedUp();
  let lookUps = 0;
  for (let i = 0; i < 5; i += 1) {
    lookUps += await guess(networks);
    expect((await networks.take('network')).outcome).toBe('denied');
  }
  expect(lookUps).toBe(10);
  expect(await networks.denyGuess('network')).toMatchObject({ outcome: 'denied' });
});

test('ten more look-ups are allowed after ten seconds', async () => {
  const { networks } = await openUsedUp();
  expect(await guess(networks)).toBe(10);
  vi.advanceTimersByTime(9_999);
  expect(await guess(networks)).toBe(0);
  vi.advanceTimersByTime(1);
  expect(await guess(networks)).toBe(10);
});

test('an allowance is shown as used up for a minute', async () => {
  const { clock, networks } = await openUsedUp();
  await clock.advance(59_999);
  expect(networks.peek('network').outcome).toBe('denied');
  await clock.advance(1);
  expect(networks.peek('network')).toMatchObject({ outcome: 'admitted', reported: { limit: 1 } });
});
