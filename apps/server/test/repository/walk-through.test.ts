import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hangMs, openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createTestClock } from '../support/test-clock.ts';
import { startService, type TestService } from '../support/test-service.ts';

/** Before the path of each file of the server. */
const sources = /^.*\/apps\/server\/src\//;

test('the walk-through names each file whose code a GET executes, once, and no other', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    // It stands still: no timer adds files of its own.
    clock: createTestClock(Date.now()),
    // By the clock of the machine.
    timings: { database: { checkSocketsMs: hangMs } },
    env: { REDIS_URL: redis.url },
  });
  const { free, pro, business } = service.tokens;
  // The first request prepares statements, and a start may still be at work beside it.
  await filesOf(service, free);
  const [one, other] = [await filesOf(service, pro), await filesOf(service, business)];
  const always = [...one].filter((file) => other.has(file));

  const named = namedFiles();
  expect(
    named.toSorted(),
    'backquoted in the table of CONTRIBUTING.md, Three walk-throughs',
  ).toEqual(always.sort());
});

/** The files of the server whose functions are called for one list with a key that is not in the cache. */
async function filesOf(service: TestService, token: string): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  await service.call('/pets?limit=2', { token });
  // The response is closed in the turn after the one in which it was written.
  await nextTurn();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  await profiler.post('Profiler.stopPreciseCoverage');
  return new Set(
    result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .filter(({ url }) => sources.test(url))
      .map(({ url }) => url.replace(sources, '')),
  );
}

/** The files that the table of a GET has, in its order. */
function namedFiles(): string[] {
  const text = readFileSync(new URL('../../../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const [, walk = ''] = /\n### A `GET \/v1\/pets`\n(.*?)\n### /s.exec(text) ?? [];
  const rows = walk.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    Array.from(row.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file),
  );
}
