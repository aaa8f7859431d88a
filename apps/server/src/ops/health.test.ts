import { expect, test, vi } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createHealth } from './health.ts';

const clock = createTestClock();
const healthy = {
  clock,
  databaseTimeoutMs: 1_000,
  isMigrated: async () => true,
  partialFault: () => undefined,
};

/** The health of a replica that takes requests. */
function createServingHealth(options: Parameters<typeof createHealth>[0]) {
  const health = createHealth(options);
  health.note({ phase: 'serving' });
  return health;
}

test('a replica is ready from the moment that it takes requests until its stop begins', async () => {
  const health = createHealth(healthy);
  expect(await health.report()).toEqual({
    status: 'not_ready',
    reasons: ['This replica is starting.'],
  });
  health.note({ phase: 'serving' });
  expect(await health.report()).toEqual({ status: 'ready', reasons: [] });
  health.note({ phase: 'stopping' });
  expect(await health.report()).toEqual({
    status: 'not_ready',
    reasons: ['This replica is stopping.'],
  });
});

test('it is degraded while Redis is away, and ready again afterwards', async () => {
  const health = createServingHealth(healthy);
  health.note({ redisFault: 'Redis is away.' });
  expect(await health.report()).toEqual({ status: 'degraded', reasons: ['Redis is away.'] });
  health.note({ redisFault: undefined });
  expect(await health.report()).toEqual({ status: 'ready', reasons: [] });
});

test('every fault is told', async () => {
  const health = createServingHealth({ ...healthy, isMigrated: async () => false });
  health.note({ redisFault: 'Redis is away.' });
  health.note({ phase: 'stopping' });
  expect(await health.report()).toEqual({
    status: 'not_ready',
    reasons: [
      'This replica is stopping.',
      'The database lacks migrations that this version needs.',
      'Redis is away.',
    ],
  });
});

test('what the database says in its own words is kept from whoever asks', async () => {
  const health = createServingHealth({
    ...healthy,
    isMigrated: () => Promise.reject(new Error('password authentication failed for "ann"')),
  });
  expect(await health.report()).toEqual({
    status: 'not_ready',
    reasons: ['The migrations of the database cannot be read.'],
  });
});

test('a database that hangs is asked once, however many ask for it', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const isMigrated = vi.fn(() => promise);
  const health = createServingHealth({ ...healthy, isMigrated });
  const late = {
    status: 'not_ready',
    reasons: ['The database did not answer within 1000 ms.'],
  };
  const reports = [health.report(), health.report()];
  await clock.advance(1_000);
  reports.push(health.report());
  await clock.advance(1_000);
  expect(await Promise.all(reports)).toEqual([late, late, late]);
  expect(isMigrated).toHaveBeenCalledTimes(1);

  resolve(true);
  await promise;
  expect(await health.report()).toEqual({ status: 'ready', reasons: [] });
});
