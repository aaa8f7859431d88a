import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { createAllowance } from './allowance.ts';
import { type NetworkAllowance, withSpareLookUps } from './spare-look-ups.ts';

/** A limiter whose answers arrive when the test wants them to. */
class SlowLimiter extends RateLimiterMemory {
  readonly answers: (() => void)[] = [];

  override async consume(id: string): Promise<RateLimiterRes> {
    await new Promise<void>((resolve) => this.answers.push(resolve));
    return super.consume(id);
  }
}

function networksOf(limiter: RateLimiterMemory, clock: TestClock) {
  const allowance = createAllowance({
    clock,
    limiter,
    insurance: limiter,
    isInsured: () => false,
    share: () => limiter.points,
  });
  return withSpareLookUps(allowance, clock);
}

/** Looks up made-up tokens, one after the other, until that is refused. Returns how many it were. */
function guess(networks: NetworkAllowance): number {
  let lookUps = 0;
  while (networks.refuseLookUp('network') === undefined) {
    lookUps += 1;
    networks.countWastedLookUp('network');
  }
  return lookUps;
}

// Regression: 50 keys that a replica did not know, in a network with nothing left, took 40 s to pass.
test('look-ups that find a key are not counted', async () => {
  const networks = networksOf(
    new RateLimiterMemory({ points: 1, duration: 60 }),
    createTestClock(),
  );
  await networks.take('network');
  for (let i = 0; i < 50; i += 1) expect(networks.refuseLookUp('network')).toBeUndefined();
});

// Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
test('a network that has used up its allowance gets ten look-ups, however many requests are in flight', async () => {
  const limiter = new SlowLimiter({ points: 1, duration: 60 });
  const networks = networksOf(limiter, createTestClock());
  const inFlight = Array.from({ length: 5 }, () => networks.take('network'));
  let lookUps = 0;
  for (const [index, answer] of limiter.answers.entries()) {
    answer();
    expect((await inFlight[index])?.outcome).toBe(index === 0 ? 'admitted' : 'denied');
    lookUps += guess(networks);
  }
  expect(lookUps).toBe(10);
});

test('one more look-up is allowed each second, and all ten again after a minute', async () => {
  const clock = createTestClock();
  const networks = networksOf(new RateLimiterMemory({ points: 1, duration: 3_600 }), clock);
  expect(networks.refuseLookUp('network')).toBeUndefined();
  networks.countWastedLookUp('network');
  await networks.take('network');
  const allowed = () => guess(networks);
  expect(allowed()).toBe(10);
  await clock.advance(999);
  expect(allowed()).toBe(1);
  await clock.advance(4_001);
  expect(allowed()).toBe(4);
  await clock.advance(55_000);
  expect(allowed()).toBe(10);
});
