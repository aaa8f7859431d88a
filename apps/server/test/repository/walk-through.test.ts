import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join, normalize } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hangMs, openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createTestClock } from '../support/test-clock.ts';
import { startService } from '../support/test-service.ts';

/** Before the path of each file of the server. */
const sources = /^.*\/apps\/server\/src\//;

const contributing = readFileSync(new URL('../../../../CONTRIBUTING.md', import.meta.url), 'utf8');

const ofGet = namedFiles(/\n### A `GET \/v1\/pets`\n(.*?)\n### /s);
const ofPost = namedFiles(/\n### A `POST \/v1\/pets`\n(.*?)\n### /s);

test('the walk-throughs name each file whose code a GET executes, or a POST besides, once, and no other', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    // It stands still: no timer adds files of its own.
    clock: createTestClock(Date.now()),
    // What goes by the clock of the machine: a heartbeat, or a Redis that is connected too late, adds files.
    timings: {
      database: { checkSocketsMs: hangMs, heartbeatMs: hangMs },
      quotas: { firstConnectionTimeoutMs: hangMs },
    },
    env: { REDIS_URL: redis.url },
  });
  const { free, pro, business } = service.tokens;
  const list = (token: string) => service.call('/pets?limit=2', { token });
  const create = (token: string) =>
    service.call('/pets', {
      token,
      json: '{"name":"Mia","categoryId":1}',
      headers: { 'Idempotency-Key': token },
    });
  /** What both of two requests execute: a start may still be at work beside one of them. */
  async function always(call: (token: string) => Promise<{ status: number }>): Promise<string[]> {
    // The first request prepares statements.
    await call(free);
    const [one, other] = [await filesOf(() => call(pro)), await filesOf(() => call(business))];
    return [...one].filter((file) => other.has(file));
  }
  const listing = await always(list);
  const creating = (await always(create)).filter((file) => !listing.includes(file));

  const where = 'backquoted in the tables of CONTRIBUTING.md, Four walk-throughs';
  expect(ofGet.toSorted(), where).toEqual(listing.sort());
  expect(ofPost.toSorted(), where).toEqual(creating.sort());
});

// V8 does not tell in which order functions are called first.
test.each([
  ['GET', [], ofGet],
  ['POST', ofGet, ofPost],
])('each file of a %s stands after one that imports it, if any does', (_method, before, its) => {
  const way = [...before, ...its];
  const imports = new Map(way.map((file) => [file, importsOf(file)]));
  const early = its.filter((file) => {
    const importers = way.filter((one) => imports.get(one)?.includes(file));
    return importers.length > 0 && !importers.some((one) => way.indexOf(one) < way.indexOf(file));
  });
  expect(early).toEqual([]);
});

/** The files of the server whose functions are called for one request. */
async function filesOf(call: () => Promise<{ status: number }>): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  expect((await call()).status).toBeLessThan(300);
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

/** The files that the table of a walk-through has, in its order. */
function namedFiles(section: RegExp): string[] {
  const [, walk = ''] = section.exec(contributing) ?? [];
  const rows = walk.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) =>
    Array.from(row.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file),
  );
}

/** What of the server a file loads. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/^import (?!type\b)[^;']*'(\.[^']+)';$/gm), ([, target = '']) =>
    normalize(join(dirname(file), target)),
  );
}
