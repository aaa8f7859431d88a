import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test, vi } from 'vitest';
import { createHealth } from './health.ts';

const clock = createTestClock();
const healthy = {
  clock,
  databaseTimeoutMs: 1_000,
  isMigrated: async () => true,
  partialFault: () => undefined,
};

test('a replica is ready from the moment that it takes requests until its stop begins, and every fault is told', async () => {
  let migrations: Promise<boolean> = Promise.resolve(true);
  let fault: string | undefined;
  const isMigrated = () => migrations;
  const health = createHealth({ ...healthy, isMigrated, partialFault: () => fault });
  const expectReport = async (status: string, ...reasons: string[]) =>
    expect(await health.report()).toEqual({ status, reasons });
  await expectReport('not_ready', 'This replica is starting.');
  health.note({ phase: 'serving' });
  await expectReport('ready');
  health.note({ redisFault: 'Redis is away.' });
  await expectReport('degraded', 'Redis is away.');
  health.note({ redisRefusal: () => 'Redis refuses the password' });
  await expectReport('degraded', 'Redis is away.', 'Redis refuses the password.');
  health.note({ redisRefusal: () => undefined });
  fault = 'The database is read-only.';
  await expectReport('degraded', fault, 'Redis is away.');
  // Not in the words of the database.
  migrations = Promise.reject(new Error('password authentication failed for "ann"'));
  const unreadable = 'The migrations of the database cannot be read.';
  await expectReport('not_ready', unreadable, 'Redis is away.');
  migrations = Promise.resolve(false);
  health.note({ phase: 'stopping' });
  const lacking = 'The database lacks migrations that this version needs.';
  await expectReport('not_ready', 'This replica is stopping.', lacking, 'Redis is away.');
  migrations = Promise.resolve(true);
  fault = undefined;
  health.note({ redisFault: undefined });
  await expectReport('not_ready', 'This replica is stopping.');
});

test('a database that hangs is asked once, however many ask for it', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const isMigrated = vi.fn(() => promise);
  const health = createHealth({ ...healthy, isMigrated });
  health.note({ phase: 'serving' });
  const late = { status: 'not_ready', reasons: ['The database did not answer within 1000 ms.'] };
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
