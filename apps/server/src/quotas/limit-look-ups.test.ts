import { createMemoryQuotas } from '@animal-store/quotas';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limitLookUps } from './limit-look-ups.ts';

test('a network that has used up its allowance has ten look-ups in ten seconds that find no key, and any others', async () => {
  // The limiters of rate-limiter-flexible go by the clock of the machine.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const allowance = createMemoryQuotas({ clock: createTestClock() }).createAllowance('network', {
    perMinute: 1,
  });
  const networks = limitLookUps(allowance);
  expect(await networks.denyGuess('network')).toBeUndefined();
  networks.countWrongGuess('network');
  await networks.take('network');

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
  for (let i = 0; i < 50; i += 1) expect(await networks.denyGuess('network')).toBeUndefined();
  expect(await guess()).toBe(10);
  // Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
  expect((await networks.take('network')).outcome).toBe('denied');
  vi.advanceTimersByTime(9_999);
  expect(await guess()).toBe(0);
  expect(await networks.denyGuess('network')).toMatchObject({ outcome: 'denied' });
  vi.advanceTimersByTime(1);
  expect(await guess()).toBe(10);
});
