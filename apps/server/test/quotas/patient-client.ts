import { defaultBanPolicy } from '@animal-store/contract';
import { createQuotaModel } from '@animal-store/testkit/quota-model';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import fc from 'fast-check';
import { startMs } from './open-test-quotas.ts';

const client = fc.record({
  quota: fc.record({
    perMinute: fc.integer({ min: 1, max: 120 }),
    perDay: fc.constantFrom(1, 10, 100, 1_000, 100_000),
  }),
  /** Requests it may have on their way at the same time. */
  callers: fc.integer({ min: 1, max: 40 }),
  /** Each way; a second is the grace, and there and back is less. */
  latencyMs: fc.integer({ min: 0, max: 499 }),
  /** The longest pause between an answer and the next request of the same caller. */
  pauseMs: fc.constantFrom(0, 10, 100, 1_000, 20_000),
  seed: fc.integer(),
});

/** The policy of bans, by the model: no client is banned whose callers wait as long as one of them was told. */
export const patientClient = fc.property(client, ({ quota, callers, latencyMs, pauseMs, seed }) => {
  const model = createQuotaModel(defaultBanPolicy);
  const random = createSeededRandom(seed);
  const upTo = (ms: number) => Math.floor(random() * (ms + 1));
  let isBanned = false;
  let waitsUntil = 0;
  /** What each caller does next, and when. */
  const all = Array.from({ length: callers }, () => ({ at: startMs + upTo(pauseMs), act: send }));
  type Caller = (typeof all)[number];

  function send(caller: Caller): void {
    if (caller.at < waitsUntil) caller.at = waitsUntil;
    else Object.assign(caller, { at: caller.at + upTo(latencyMs), act: arrive });
  }
  function arrive(caller: Caller): void {
    const key = { id: 'key', subject: 'key', quota };
    const { outcome, retryAfterSeconds } = model.take(key, caller.at);
    isBanned ||= outcome === 'banned';
    caller.at += upTo(latencyMs);
    caller.act = () => {
      const waits = retryAfterSeconds > 0 ? caller.at + retryAfterSeconds * 1_000 : 0;
      waitsUntil = Math.max(waitsUntil, waits);
      Object.assign(caller, { at: caller.at + upTo(pauseMs), act: send });
    };
  }
  for (let events = 0; events < 900; events += 1) {
    const next = all.reduce((a, b) => (b.at < a.at ? b : a));
    next.act(next);
  }
  return !isBanned;
});
