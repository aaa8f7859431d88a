import { expect, test } from 'vitest';
import { cutConnections } from './cut-connections.ts';

test('the service responds correctly or with 503 when a connection to Postgres is cut before, within or after any protocol message', async () => {
  const done = await cutConnections({ seed: 42, replicas: 1, goesOn: (passes) => passes < 1 });
  // The cut is attempted at every kind of message, but not every kind occurs in every round. So the
  // test requires only a minimum number of cuts.
  expect(done.cuts).toBeGreaterThan(5);
  expect(done.good).toBeGreaterThan(50);
});
