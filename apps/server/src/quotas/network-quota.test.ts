import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import { createNetworkQuota } from './network-quota.ts';

/** A limiter whose answers arrive when the test wants them to. */
class SlowLimiter extends RateLimiterMemory {
  readonly answers: (() => void)[] = [];

  override async consume(id: string): Promise<RateLimiterRes> {
    await new Promise<void>((resolve) => this.answers.push(resolve));
    return super.consume(id);
  }
}

// Regression: each answer that was in flight when the quota ran out allowed ten look-ups more.
test('a network that has used up its quota gets ten look-ups, however many requests are in flight', async () => {
  const limiter = new SlowLimiter({ points: 1, duration: 60 });
  const quota = createNetworkQuota({ limiter, insurance: limiter, clock: () => 0 });
  const inFlight = Array.from({ length: 5 }, () => quota.take('network'));
  let lookUps = 0;
  for (const [index, answer] of limiter.answers.entries()) {
    answer();
    expect((await inFlight[index])?.outcome).toBe(index === 0 ? 'admitted' : 'denied');
    for (let i = 0; i < 20; i += 1) if (quota.refuseLookUp('network') === undefined) lookUps += 1;
  }
  expect(lookUps).toBe(10);
});
