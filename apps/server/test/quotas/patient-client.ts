import assert from 'node:assert/strict';
import { defaultBanPolicy, type Quota } from '@animal-store/contract';
import { createQuotaModel } from '@animal-store/testkit/quota-model';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import fc from 'fast-check';
import { startMs } from './quota-sequences.ts';

/** A client of the model that waits as long as `Retry-After` says. */
interface Client {
  readonly quota: Quota;
  /** Requests it may have on their way at the same time. */
  readonly callers: number;
  /** Each way; a second is the grace, and there and back is less. */
  readonly latencyMs: number;
  /** The longest pause between an answer and the next request of the same caller. */
  readonly pauseMs: number;
  readonly seed: number;
}

const client: fc.Arbitrary<Client> = fc.record({
  quota: fc.record({
    perMinute: fc.integer({ min: 1, max: 120 }),
    perDay: fc.constantFrom(1, 10, 100, 1_000, 100_000),
  }),
  callers: fc.integer({ min: 1, max: 40 }),
  latencyMs: fc.integer({ min: 0, max: 499 }),
  pauseMs: fc.constantFrom(0, 10, 100, 1_000, 20_000),
  seed: fc.integer(),
});

const key = { id: 'key', subject: 'key' };

type Stage = 'sends' | 'is decided' | 'hears';

/** Lets a client loose on a key, and gives what it was told. */
function letLoose({ quota, callers, latencyMs, pauseMs, seed }: Client): Set<string> {
  const model = createQuotaModel(defaultBanPolicy);
  const random = createSeededRandom(seed);
  const upTo = (ms: number) => Math.floor(random() * (ms + 1));
  const told = new Set<string>();
  // All callers of a client know what one of them was told.
  let waitsUntil = 0;
  const all = Array.from({ length: callers }, () => ({
    stage: 'sends' as Stage,
    at: startMs + upTo(pauseMs),
    waitMs: 0,
  }));

  for (let events = 0; events < 900; events += 1) {
    const caller = all.reduce((a, b) => (b.at < a.at ? b : a));
    const { at } = caller;
    switch (caller.stage) {
      case 'sends':
        if (at < waitsUntil) caller.at = waitsUntil;
        else Object.assign(caller, { stage: 'is decided', at: at + upTo(latencyMs) });
        break;
      case 'is decided': {
        const { outcome, retryAfterSeconds } = model.take({ ...key, quota }, at);
        told.add(outcome);
        caller.waitMs = retryAfterSeconds * 1_000;
        Object.assign(caller, { stage: 'hears', at: at + upTo(latencyMs) });
        break;
      }
      case 'hears':
        if (caller.waitMs > 0) waitsUntil = Math.max(waitsUntil, at + caller.waitMs);
        Object.assign(caller, { stage: 'sends', at: at + upTo(pauseMs) });
        break;
    }
  }
  return told;
}

/** No such client is ever banned. */
export const patientClient = fc.property(client, (it) => {
  assert(!letLoose(it).has('banned'));
});

/** A sample of such clients, each with what it is told, and with what a client is told that does not wait. */
export const sampleClients = (numRuns: number) =>
  fc.sample(client, { numRuns, seed: 1 }).map((it) => {
    const model = createQuotaModel(defaultBanPolicy);
    const toldImpatient = Array.from(
      { length: 900 },
      (_, i) => model.take({ ...key, quota: it.quota }, startMs + i * 100).outcome,
    );
    return { told: letLoose(it), toldImpatient };
  });
