import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createAllowance } from './allowance.ts';
import { limitLookUps, type NetworkAllowance } from './limit-look-ups.ts';

let clock: TestClock;
/** Those of a network that has used up its allowance. */
let networks: NetworkAllowance;

beforeEach(async () => {
  // The limiters of rate-limiter-flexible go by the clock of the machine.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  clock = createTestClock();
  networks = limitLookUps(createAllowance('network', { clock, perMinute: 1 }));
  expect(await networks.denyGuess('network')).toBeUndefined();
  networks.countWrongGuess('network');
  await networks.take('network');
});

/** Looks up made-up tokens, one after the other, until that is refused. Returns how many it were. */
async function guess(): Promise<number> {
  let lookUps = 0;
  while ((await networks.denyGuess('network')) === undefined) {
    lookUps += 1;
    networks.countWrongGuess('network');
  }
  return lookUps;
}

// Regression: 50 keys that a replica did not know, in a network with nothing left, took 40 s to pass.
test('look-ups that find a key are not counted', async () => {
  for (let i = 0; i < 50; i += 1) expect(await networks.denyGuess('network')).toBeUndefined();
});

// Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
test('ten look-ups are left in ten seconds, however many requests are in flight', async () => {
  expect(await guess()).toBe(10);
  expect((await networks.take('network')).outcome).toBe('denied');
  vi.advanceTimersByTime(9_999);
  expect(await guess()).toBe(0);
  expect(await networks.denyGuess('network')).toMatchObject({ outcome: 'denied' });
  vi.advanceTimersByTime(1);
  expect(await guess()).toBe(10);
});

test('an allowance is shown as used up for a minute', async () => {
  await clock.advance(59_999);
  expect(networks.peek('network').outcome).toBe('denied');
  await clock.advance(1);
  expect(networks.peek('network')).toMatchObject({ outcome: 'admitted', reported: { limit: 1 } });
});
