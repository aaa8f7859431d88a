import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  freePort,
  openRedis,
  openRedisCluster,
  patientQuotas,
  repository,
  spawnServer,
  temporaryDirectory,
  until,
} from '@animal-store/testkit';
import { publint } from 'publint';
import { beforeAll, expect, test } from 'vitest';

// These tests use the package as its users do. They pack it, unpack it into an empty folder, and
// import it from there.

const run = promisify(execFile);
const packageDirectory = join(import.meta.dirname, '../..');

let folder: string;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  const directory = await temporaryDirectory();
  folder = join(directory.path, 'my-api');
  const [file, installed] = [
    join(directory.path, 'quotas.tgz'),
    join(folder, 'node_modules/@animal-store/quotas'),
  ];
  // The tests do not run the build of `prepack`, because `npm test` has already built the package.
  // Other tests may read `dist` at the same time.
  const pnpm = join(repository, 'node_modules/.bin/pnpm');
  await run(pnpm, ['pack', '--config.ignore-scripts=true', '--out', file], {
    cwd: packageDirectory,
  });
  tarball = new Uint8Array(await readFile(file));
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', installed]);
  // Users also install the dependencies of the package, its peer dependency, and Express for the
  // example.
  for (const name of ['express', 'ioredis', 'lru-cache', 'rate-limiter-flexible']) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(packageDirectory, 'node_modules', name), link, 'junction');
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  return directory[Symbol.asyncDispose];
});

/**
 * Returns the Express example of the README, with longer timeouts. Redis may be slow on a busy
 * machine, and the processes would then decide without it.
 */
async function readExample(): Promise<string> {
  const text = await readFile(join(packageDirectory, 'README.md'), 'utf8');
  const [, code = ''] = /^```ts\n(import [^`]*)^```$/ms.exec(text) ?? [];
  const [, timeouts] = /^{(.*)}$/.exec(JSON.stringify(patientQuotas)) ?? [];
  return code.replace("prefix: 'my-api'", `$&, ${timeouts}`);
}

/**
 * Starts the example as two processes, and sends the requests of one API key to them in turn.
 * Returns how often each status was received.
 */
async function countStatuses(code: string, redis: string): Promise<Record<string, number>> {
  await using stack = new AsyncDisposableStack();
  await writeFile(join(folder, 'server.mjs'), code);
  const origins: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    const port = await freePort();
    origins.push(`http://127.0.0.1:${port}`);
    const command = [process.execPath, join(folder, 'server.mjs')] as const;
    stack.use(await spawnServer({ command, env: { PORT: String(port), REDIS_URL: redis } }));
  }
  const counts: Record<string, number> = {};
  for (let i = 0; i < 70; i += 1) {
    const url = origins[i % 2] as string;
    const { status, headers } = await fetchWhenOpen(url);
    counts[status] = (counts[status] ?? 0) + 1;
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  }
  return counts;
}

/**
 * Sends a request, and repeats it while the connection is refused. A server that is still starting
 * refuses connections, and has not counted the request.
 */
function fetchWhenOpen(url: string): Promise<Response> {
  return until(() => fetch(url, { headers: { 'X-Api-Key': 'key' } }).catch(() => undefined));
}

test('the Express example of the README has at most 15 lines, and two processes admit exactly the limit together', async () => {
  const code = await readExample();
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(15);
  await using redis = await openRedis();
  expect(await countStatuses(code, redis.url)).toEqual({ 200: 60, 429: 10 });
});

test('the Express example of the README admits exactly the limit with two processes on a Redis Cluster', async () => {
  await using cluster = await openRedisCluster();
  const code = (await readExample()).replace('process.env.REDIS_URL', JSON.stringify(cluster.urls));
  expect(await countStatuses(code, '')).toEqual({ 200: 60, 429: 10 });
});

test('a CommonJS module loads both entry points of the packed quotas package', async () => {
  await writeFile(
    join(folder, 'require.cjs'),
    `const { createQuotas, quotaHeaders } = require('@animal-store/quotas');
     const { limitRequests } = require('@animal-store/quotas/express');
     createQuotas()
       .then((quotas) => quotas.consume({ id: 'a', quota: { perMinute: 5, perDay: 9 } }))
       .then((decision) => console.log(typeof limitRequests, JSON.stringify(quotaHeaders(decision))));`,
  );
  const { stdout } = await run(process.execPath, ['require.cjs'], { cwd: folder });
  expect(stdout).toMatch(/^function \{"X-RateLimit-Limit":"5","X-RateLimit-Remaining":"4",/);
});

test('the manifest of the packed quotas package lists ioredis as a peer dependency, and no package of the workspace', async () => {
  const file = join(folder, 'node_modules/@animal-store/quotas/package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  expect(Object.keys(manifest.dependencies)).toEqual(['lru-cache', 'rate-limiter-flexible']);
  expect(Object.keys(manifest.peerDependencies)).toEqual(['ioredis']);
  expect(JSON.stringify(manifest)).not.toMatch(/catalog:|workspace:|runtime/);
});

test('the tool publint finds no problem in the packed quotas package', async () => {
  const { messages } = await publint({ strict: true, pack: { tarball: tarball.buffer } });
  expect(messages).toEqual([]);
});
