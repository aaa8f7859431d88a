import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { hangMs, openRedis, repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { startService } from '../support/test-service.ts';

/** Matches the path of a file of the server, or of a package that it uses. */
const sources =
  /^.*\/(?:apps\/server|packages\/(postgres|quotas|runtime))\/src\/(?!index|test-)(.*)$/;

test('the walk-through of a GET request names each executed source file once and no others', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    // The clock stands still, so no timer runs files of its own.
    clock: createTestClock(Date.now()),
    // Heartbeats and checks use the clock of the machine and would run files of their own.
    database: { checkSocketsMs: hangMs, heartbeatMs: hangMs },
    quotas: { redis: [redis.url] },
  });
  const { free, pro, business } = service.tokens;
  const list = (token: string) => service.call('/pets?limit=2', { token });
  // The first request prepares statements.
  await list(free);
  // Only files that both requests execute count, because work of the start may still run beside one
  // of them.
  const [one, other] = [await filesOf(() => list(pro)), await filesOf(() => list(business))];
  const executed = [...one].filter((file) => other.has(file));

  const where = 'backquoted in the table of docs/walk-throughs.md';
  expect(namedFiles().toSorted(), where).toEqual(executed.sort());
});

/** Returns the files of the server whose functions are called for one request. */
async function filesOf(call: () => Promise<{ status: number }>): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  expect((await call()).status).toBe(200);
  // The response is closed one turn after it was written.
  await nextTurn();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  return new Set(
    result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => nameOf(url) ?? []),
  );
}

/**
 * Returns the short name of a file, such as `pets/share-reads.ts` of the server or
 * `runtime/batch.ts` of a package.
 */
function nameOf(url: string): string | undefined {
  const [, packageName, path] = sources.exec(url) ?? [];
  return packageName === undefined ? path : `${packageName}/${path}`;
}

/** Returns the files in the table of the walk-through. */
function namedFiles(): string[] {
  const section = /\n## A `GET \/v1\/pets`\n(.*?)\n## /s;
  const [, walk = ''] =
    section.exec(readFileSync(`${repository}docs/walk-throughs.md`, 'utf8')) ?? [];
  const rows = walk.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    Array.from(row.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file),
  );
}
