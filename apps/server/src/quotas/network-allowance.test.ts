import { createMemoryQuotas } from '@animal-store/quotas';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createNetworkAllowance } from './network-allowance.ts';

test('when a network has used up its quota, denyGuess allows ten lookups of unknown API keys in ten seconds, and any number of lookups of valid API keys', async () => {
  // The limiters of rate-limiter-flexible use the clock of the machine, so the tests replace this
  // clock by fake timers.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const allowance = createMemoryQuotas({ clock: createTestClock() }).createAllowance('network', {
    perMinute: 1,
  });
  const networks = createNetworkAllowance(allowance);
  expect(await networks.denyGuess('network')).toBeUndefined();
  networks.countWrongGuess('network');
  await networks.take('network');

  /**
   * Looks up invented tokens one after the other until a lookup is denied. Returns the number of
   * allowed lookups.
   */
  async function guess(): Promise<number> {
    let lookUps = 0;
    while ((await networks.denyGuess('network')) === undefined) {
      lookUps += 1;
      networks.countWrongGuess('network');
    }
    return lookUps;
  }
  // Regression: a new replica took 40 s to accept 50 valid API keys of a network that had used up
  // its quota.
  for (let i = 0; i < 50; i += 1) expect(await networks.denyGuess('network')).toBeUndefined();
  expect(await guess()).toBe(10);
  // Regression: after the network had used up its quota, each further denied request allowed ten
  // more lookups.
  expect((await networks.take('network')).outcome).toBe('denied');
  vi.advanceTimersByTime(9_999);
  expect(await guess()).toBe(0);
  expect(await networks.denyGuess('network')).toMatchObject({ outcome: 'denied' });
  vi.advanceTimersByTime(1);
  expect(await guess()).toBe(10);
});
