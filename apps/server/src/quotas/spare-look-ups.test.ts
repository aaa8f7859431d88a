import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import { createAllowance } from './allowance.ts';
import { withSpareLookUps } from './spare-look-ups.ts';

/** A limiter whose answers arrive when the test wants them to. */
class SlowLimiter extends RateLimiterMemory {
  readonly answers: (() => void)[] = [];

  override async consume(id: string): Promise<RateLimiterRes> {
    await new Promise<void>((resolve) => this.answers.push(resolve));
    return super.consume(id);
  }
}

function networksOf(limiter: RateLimiterMemory, clock: () => number) {
  const allowance = createAllowance({
    limiter,
    insurance: limiter,
    isInsured: () => false,
    share: () => limiter.points,
  });
  return withSpareLookUps(allowance, clock);
}

// Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
test('a network that has used up its allowance gets ten look-ups, however many requests are in flight', async () => {
  const limiter = new SlowLimiter({ points: 1, duration: 60 });
  const networks = networksOf(limiter, () => 0);
  const inFlight = Array.from({ length: 5 }, () => networks.take('network'));
  let lookUps = 0;
  for (const [index, answer] of limiter.answers.entries()) {
    answer();
    expect((await inFlight[index])?.outcome).toBe(index === 0 ? 'admitted' : 'denied');
    for (let i = 0; i < 20; i += 1)
      if (networks.refuseLookUp('network') === undefined) lookUps += 1;
  }
  expect(lookUps).toBe(10);
});

test('one more look-up is allowed each second, and all ten again after a minute', async () => {
  let now = 0;
  const networks = networksOf(new RateLimiterMemory({ points: 1, duration: 3_600 }), () => now);
  expect(networks.refuseLookUp('network')).toBeUndefined();
  await networks.take('network');
  const allowed = () => {
    let lookUps = 0;
    while (networks.refuseLookUp('network') === undefined) lookUps += 1;
    return lookUps;
  };
  expect(allowed()).toBe(10);
  now = 999;
  expect(allowed()).toBe(1);
  now = 5_000;
  expect(allowed()).toBe(4);
  now = 60_000;
  expect(allowed()).toBe(10);
});
