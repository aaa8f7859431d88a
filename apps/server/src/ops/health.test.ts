import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test, vi } from 'vitest';
import { createHealth } from './health.ts';

const clock = createTestClock();
const healthy = {
  clock,
  databaseTimeoutMs: 1_000,
  findDatabaseFault: async () => undefined,
  partialFault: () => undefined,
};

test('the readiness report is "ready" when the replica has no faults, and otherwise it lists every fault', async () => {
  let databaseFault: Promise<string | undefined> = Promise.resolve(undefined);
  let fault: string | undefined;
  const findDatabaseFault = () => databaseFault;
  const health = createHealth({ ...healthy, findDatabaseFault, partialFault: () => fault });
  const expectReport = async (status: string, ...reasons: string[]) =>
    expect(await health.report()).toEqual({ status, reasons });
  await expectReport('not_ready', 'This replica is starting.');
  health.update({ phase: 'serving' });
  await expectReport('ready');
  health.update({ redisFault: 'Redis is unavailable.' });
  await expectReport('degraded', 'Redis is unavailable.');
  health.update({ redisRefusal: () => 'Redis refuses the password' });
  await expectReport('degraded', 'Redis is unavailable.', 'Redis refuses the password.');
  health.update({ redisRefusal: () => undefined });
  fault = 'The database is read-only.';
  await expectReport('degraded', fault, 'Redis is unavailable.');
  // The reported reason must not repeat the message of the database, which may contain names of
  // users.
  databaseFault = Promise.reject(new Error('password authentication failed for "ann"'));
  const unreadable =
    'The table of migrations cannot be read. Check the permissions of the database role.';
  await expectReport('not_ready', unreadable, 'Redis is unavailable.');
  const missingMigrations =
    'The database lacks migrations that this version of the service needs; run the migrations of this version.';
  databaseFault = Promise.resolve(missingMigrations);
  health.update({ phase: 'stopping' });
  await expectReport(
    'not_ready',
    'This replica is stopping.',
    missingMigrations,
    'Redis is unavailable.',
  );
  databaseFault = Promise.resolve(undefined);
  fault = undefined;
  health.update({ redisFault: undefined });
  await expectReport('not_ready', 'This replica is stopping.');
});

test('the readiness check sends only one query at a time to a database that does not respond, however many health checks arrive', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const findDatabaseFault = vi.fn(() => promise);
  const health = createHealth({ ...healthy, findDatabaseFault });
  health.update({ phase: 'serving' });
  const late = { status: 'not_ready', reasons: ['The database did not respond within 1000 ms.'] };
  const reports = [health.report(), health.report()];
  await clock.advance(1_000);
  reports.push(health.report());
  await clock.advance(1_000);
  expect(await Promise.all(reports)).toEqual([late, late, late]);
  expect(findDatabaseFault).toHaveBeenCalledTimes(1);

  resolve(undefined);
  await promise;
  expect(await health.report()).toEqual({ status: 'ready', reasons: [] });
});
