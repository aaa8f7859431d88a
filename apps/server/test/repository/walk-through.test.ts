import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { hangMs, openRedis, repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { startService } from '../support/test-service.ts';

/** Matches the path of a source file of the server, or of a package that the server uses. */
const sources =
  /^.*\/(?:apps\/server|packages\/(postgres|quotas|runtime))\/src\/(?!index|test-)(.*)$/;

test('docs/walk-throughs.md names each source file that a GET request executes once, and no other files', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    // The clock stands still, so that no timer executes other files during the request.
    clock: createTestClock(Date.now()),
    // Heartbeats and checks of connections use the clock of the machine. They are switched off,
    // because they would execute other files.
    database: { checkSocketsMs: hangMs, heartbeatMs: hangMs },
    quotas: { redis: [redis.url] },
  });
  const { free, pro, business } = service.tokens;
  const list = (token: string) => service.call('/pets?limit=2', { token });
  // The first request prepares the SQL statements.
  await list(free);
  // Only files that both requests execute are counted. Work that belongs to the start may still run
  // during one of them.
  const [one, other] = [await filesOf(() => list(pro)), await filesOf(() => list(business))];
  const executed = [...one].filter((file) => other.has(file));

  const where = 'backquoted in the table of docs/walk-throughs.md';
  expect(namedFiles().toSorted(), where).toEqual(executed.sort());
});

/** Returns the source files in which functions are called during one request. */
async function filesOf(call: () => Promise<{ status: number }>): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  expect((await call()).status).toBe(200);
  // Node closes a response one iteration of the event loop after it was written.
  await nextIteration();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  return new Set(
    result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => nameOf(url) ?? []),
  );
}

/**
 * Returns the short name of a source file, such as `pets/share-reads.ts` for the server or
 * `runtime/batch.ts` for a package.
 */
function nameOf(url: string): string | undefined {
  const [, packageName, path] = sources.exec(url) ?? [];
  return packageName === undefined ? path : `${packageName}/${path}`;
}

/** Returns the files that the table in docs/walk-throughs.md names. */
function namedFiles(): string[] {
  const section = /\n## A `GET \/v1\/pets`\n(.*?)\n## /s;
  const [, walk = ''] =
    section.exec(readFileSync(`${repository}docs/walk-throughs.md`, 'utf8')) ?? [];
  const rows = walk.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    Array.from(row.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file),
  );
}
