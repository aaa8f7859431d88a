import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Outage, watchAvailability } from './availability.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

/** Runs a statement that succeeds, or fails with a code of the driver. */
const run = async (name: string, code?: string) => {
  const query = statement(name, async () => {
    if (code !== undefined) throw Object.assign(new Error(), { code });
  });
  await query({} as Database).catch(() => {});
};

let clock: TestClock;
let events: (string | Outage)[] = [];
let availability: ReturnType<typeof watchAvailability>;
/** The error of the next probe, if it fails. */
let fault: string | undefined;

beforeEach(() => {
  // Every pause has the same length in this test.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  clock = createTestClock();
  events = [];
  fault = undefined;
  availability = watchAvailability({
    probe: () => run('probe', fault),
    onBegin: (outage) => events.push('begin', outage),
    onEnd: (outage) => events.push('end', outage),
    clock,
    probeEveryMs: 1_000,
  });
});
afterEach(() => {
  availability.close();
  vi.restoreAllMocks();
});

const full: Outage = { code: '53100', reason: 'The disk of the database is full.' };

// A lost connection used to hide that the next connections led to a standby.
test('reports each reason of an outage once, with its code and meaning', async () => {
  const lost: Outage = { code: '08006', reason: 'The connection to the database was lost.' };
  await run('create', '23505'); // This is an error of the statement itself.
  for (const code of ['08006', '53100', '08006']) await run('create', code);
  expect(events).toEqual(['begin', lost, 'begin', full]);
  expect(availability.outage()).toEqual(full);
});

// Without traffic, an outage used to last a minute, and then until the next statement.
test('ends an outage when a probe succeeds', async () => {
  await run('create', '53100');
  fault = '53100';
  await clock.advance(3_000);
  await run('list');
  expect(events).toEqual(['begin', full]);
  fault = undefined;
  await clock.advance(1_000);
  expect(events).toEqual(['begin', full, 'end', full]);
  expect(availability.outage()).toBeUndefined();
});

// A probe does not see a lock on one table.
test('continues an outage while statements fail between the probes', async () => {
  for (let times = 0; times < 3; times += 1) {
    await run('create', '53100');
    await run('create', '53100');
    await clock.advance(1_000);
  }
  expect(events).toEqual(['begin', full]);
});
