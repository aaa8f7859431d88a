import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { hangMs, openRedis, repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { adminOf, adminToken } from '../support/admin.ts';
import { startService } from '../support/test-service.ts';

/**
 * Matches the paths of the source files that a walk-through must list when a request executes them:
 * files of the server, and of the packages that the server uses. Files of tracing are excluded. An
 * earlier test may have left spans, and the service would execute these files to send the spans.
 */
const sources =
  /^.*\/(?:apps\/server|packages\/(http-server|observability|postgres|quotas|runtime))\/src\/(?!index|test-|tracing|watch-collector|count-dropped-spans)(.*)$/;

const path = 'docs/walk-throughs.md';
const sections = readFileSync(repository + path, 'utf8').split('\n## ');

/** Opens a service that runs no background work during a request. */
async function openQuietService(redisUrl: string) {
  return startService('postgres', {
    // The clock stands still. Otherwise a timer could run code that does not belong to the request,
    // and the test would list the files of that code, too.
    clock: createTestClock(Date.now()),
    // Heartbeats and checks of connections use the clock of the machine. They are switched off,
    // because the test would list their files, too.
    database: { checkSocketsMs: hangMs, heartbeatMs: hangMs },
    quotas: { redis: [redisUrl] },
    ops: { adminToken },
  });
}

test(`the document ${path} lists each source file that a GET request or the creation of an animal executes, exactly once, and no others`, async () => {
  await using redis = await openRedis();
  await using service = await openQuietService(redis.url);
  const { free, pro, business } = service.tokens;
  const list = (token: string) => service.call('/pets?limit=2', { token });
  // The files of the first request are not compared, because this request also prepares the SQL
  // statements.
  await list(free);
  const executed = await filesOfBoth(
    () => list(pro),
    () => list(business),
  );
  const where = `in the table of ${path}`;
  expect(filesIn(sectionOf('A `GET /v1/pets`')).toSorted(), where).toEqual([...executed].sort());

  const json = '{"name":"Mia","categoryId":1,"status":"available"}';
  const create = (headers: Record<string, string>) =>
    service.call('/pets', { token: pro, json, headers });
  await create({ 'Idempotency-Key': 'first' });
  const plain = await filesOfBoth(
    () => create({}),
    () => create({}),
  );
  const idempotent = await filesOfBoth(
    () => create({ 'Idempotency-Key': 'second' }),
    () => create({ 'Idempotency-Key': 'third' }),
  );
  const more = new Set([...plain, ...idempotent].filter((file) => !executed.has(file)));
  const tableFiles = filesIn(sectionOf('A `POST /v1/pets`')).toSorted();
  expect(tableFiles, where).toEqual([...more].sort());
});

test(`the document ${path} names only source files that are executed when an operator revokes an API key`, async () => {
  await using redis = await openRedis();
  await using service = await openQuietService(redis.url);
  const admin = adminOf(service.server);
  const { id } = (await admin.create('{"plan":"free"}')).key;
  const executed = await filesOf(() => admin.call(`/keys/${id}/revoke`, { json: '{}' }));
  const step = (number: number) =>
    sectionOf('A revocation')
      .split('\n')
      .find((line) => line.startsWith(`${number}. `)) ?? '';
  // Only steps 2 to 4 of the document are compared. The CLI executes step 1 in its own process, and
  // step 5 happens only if a replica of the service loses its connection.
  const named = [2, 3, 4].flatMap((number) => filesIn(step(number)));
  const names = [...executed].map((file) => file.split('/').at(-1));
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((file) => !names.includes(file.split('/').at(-1)))).toEqual([]);
});

test(`every file that the document ${path} names exists`, () => {
  const paths = filesIn(sections.join('\n')).filter((file) => /^(apps|packages)\//.test(file));
  expect(paths.length).toBeGreaterThan(8);
  expect(paths.filter((file) => !existsSync(repository + file))).toEqual([]);
});

type Call = () => Promise<{ status: number }>;

/**
 * Returns the source files that are executed by both of two requests. A file that only one of them
 * executes may belong to work from the start of the service, which may still run.
 */
async function filesOfBoth(one: Call, other: Call): Promise<Set<string>> {
  const [files, others] = [await filesOf(one), await filesOf(other)];
  return new Set([...files].filter((file) => others.has(file)));
}

/** Returns the source files in which functions are called during one request. */
async function filesOf(call: Call): Promise<Set<string>> {
  using opened = new DisposableStack();
  const profiler = new Session();
  profiler.connect();
  opened.defer(() => profiler.disconnect());
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true });
  expect((await call()).status).toBeLessThan(300);
  // Node closes a response one iteration of the event loop after it was written. The code that runs
  // in this iteration also belongs to the request.
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
 * Returns the short name of a source file, such as `pets/shared-reads.ts` for the server or
 * `runtime/batch.ts` for a package.
 */
function nameOf(url: string): string | undefined {
  const [, packageName, path] = sources.exec(url) ?? [];
  return packageName === undefined ? path : `${packageName}/${path}`;
}

/** Returns the section of the document with this heading. */
function sectionOf(title: string): string {
  return sections.find((section) => section.startsWith(`${title}\n`)) ?? '';
}

/**
 * Returns the files that a text names in backquotes. If the text is a section with a table, only
 * files in the rows of the table are returned.
 */
function filesIn(text: string): string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const source = rows.length > 0 && text.startsWith('A ') ? rows.join('\n') : text;
  return Array.from(source.matchAll(/`([\w/-]+\.ts)`/g), ([, file = '']) => file);
}
