import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { hangMs, openRedis, repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { startService } from '../support/test-service.ts';

/** The path of a file of the server, or of a package that it is made of. */
const sources =
  /^.*\/(?:apps\/server|packages\/(postgres|quotas|runtime))\/src\/(?!index|test-)(.*)$/;

test('the walk-through of a GET names each file whose code it executes, once, and no other', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    // It stands still: no timer adds files of its own.
    clock: createTestClock(Date.now()),
    // What goes by the clock of the machine: a heartbeat adds files.
    database: { checkSocketsMs: hangMs, heartbeatMs: hangMs },
    quotas: { redis: [redis.url] },
  });
  const { free, pro, business } = service.tokens;
  const list = (token: string) => service.call('/pets?limit=2', { token });
  // The first request prepares statements.
  await list(free);
  // What both of two requests execute: a start may still be at work beside one of them.
  const [one, other] = [await filesOf(() => list(pro)), await filesOf(() => list(business))];
  const executed = [...one].filter((file) => other.has(file));

  const where = 'backquoted in the table of CONTRIBUTING.md, Four walk-throughs';
  expect(namedFiles().toSorted(), where).toEqual(executed.sort());
});

/** The files of the server whose functions are called for one request. */
async function filesOf(call: () => Promise<{ status: number }>): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  expect((await call()).status).toBe(200);
  // The response is closed in the turn after the one in which it was written.
  await nextTurn();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  return new Set(
    result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => nameOf(url) ?? []),
  );
}

/** `pets/share-reads.ts` of the server, `runtime/batch.ts` of a package. */
function nameOf(url: string): string | undefined {
  const [, packageName, path] = sources.exec(url) ?? [];
  return packageName === undefined ? path : `${packageName}/${path}`;
}

/** The files that the table of the walk-through has. */
function namedFiles(): string[] {
  const section = /\n### A `GET \/v1\/pets`\n(.*?)\n### /s;
  const [, walk = ''] = section.exec(readFileSync(`${repository}CONTRIBUTING.md`, 'utf8')) ?? [];
  const rows = walk.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    Array.from(row.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file),
  );
}
