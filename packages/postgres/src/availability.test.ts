import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Outage, watchAvailability } from './availability.ts';
import type { Database } from './database.ts';
import { statement } from './statement.ts';

/** Runs a statement. With a code, the statement fails with this code of the driver. */
const run = async (name: string, code?: string) => {
  const query = statement(name, async () => {
    if (code !== undefined) throw Object.assign(new Error(), { code });
  });
  await query({} as Database).catch(() => {});
};

let clock: TestClock;
let events: (string | Outage)[] = [];
let availability: ReturnType<typeof watchAvailability>;
/** The error code of the next probes, or `undefined` if they succeed. */
let fault: string | undefined;

beforeEach(() => {
  // With a constant random number, all pauses between two attempts have the same length.
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

// Regression: only the first failure of an outage was reported. When that failure was a lost
// connection, operators did not learn that later connections led to a read-only standby.
test('watchAvailability reports each reason of an outage once, with its code and meaning', async () => {
  const lost: Outage = { code: '08006', reason: 'The connection to the database was lost.' };
  // The code 23505 is an error of the statement itself, so it is not an outage.
  await run('create', '23505');
  for (const code of ['08006', '53100', '08006']) await run('create', code);
  expect(events).toEqual(['begin', lost, 'begin', full]);
  expect(availability.outage()).toEqual(full);
});

// Regression: without traffic, the service still reported an outage for at least a minute after its
// end, until the next statement.
test('watchAvailability reports the end of an outage when a probe of the database succeeds', async () => {
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

// Another transaction may have locked a table. Statements on this table fail, but the probe
// succeeds, because it does not use the table.
test('watchAvailability does not report the end of an outage while statements still fail between the successful probes', async () => {
  for (let times = 0; times < 3; times += 1) {
    await run('create', '53100');
    await run('create', '53100');
    await clock.advance(1_000);
  }
  expect(events).toEqual(['begin', full]);
});
