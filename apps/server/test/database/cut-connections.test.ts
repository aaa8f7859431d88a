import { expect, test } from 'vitest';
import { cutConnections } from './cut-connections.ts';

test('whichever message a connection to Postgres is cut at, every answer is right or a 503', async () => {
  const done = await cutConnections({ seed: 42, replicas: 1, goesOn: (passes) => passes < 1 });
  // Not all messages are seen in each round.
  expect(done.cuts).toBeGreaterThan(5);
  expect(done.good).toBeGreaterThan(50);
});
