import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFlags } from './node-flags.ts';
import { openRedis } from './redis.ts';
import { compileCache, type Server, startServer } from './server-process.ts';

const adminToken = 'the-admin-token-of-a-fill';
/** Node ignores it: its own entries are in a folder for each version and set of flags. */
const filledFor = join(compileCache, 'filled-for');

/**
 * Fills the compile cache, once for each version and set of flags of Node.
 *
 * A killed server does not write it, and most tests kill theirs. So two servers work and then stop here:
 * Node stores the functions that have run. Without the cache, a start takes half as much processor time again.
 */
export async function fillCompileCache(databaseUrl: string): Promise<void> {
  const wanted = [process.version, ...nodeFlags].join(' ');
  if ((await readFile(filledFor, 'utf8').catch(() => '')) === wanted) return;
  // Where there is no Redis, the tests that need it say so.
  await using redis = await openRedis().catch(() => null);
  const stores = { DATABASE_URL: databaseUrl, ...(redis && { REDIS_URL: redis.url }) };
  for (const storesOrNone of [{}, stores]) {
    await using server = await startServer({ env: { ADMIN_TOKEN: adminToken, ...storesOrNone } });
    await exercise(server);
    await server.stop();
  }
  await writeFile(filledFor, wanted);
}

/** Sends what tests send most, to run its code. What the answers say is for the tests. */
async function exercise({ baseUrl, origin, opsUrl }: Server): Promise<void> {
  const admin = `${opsUrl}/admin/v1`;
  const created = await send(`${admin}/keys`, adminToken, { name: 'a fill', plan: 'free' });
  const { id, token } = JSON.parse(created);
  await send(`${baseUrl}/pets`, token, { name: 'Rex', categoryId: 1 });
  await send(`${baseUrl}/pets`, token, { name: 7 });
  for (const path of ['/pets?limit=5', '/pets?limit=x', '/pets/1', '/none']) {
    await send(baseUrl + path, token);
  }
  // One more than the plan has in a minute.
  for (let sent = 0; sent <= 60; sent++) await send(`${baseUrl}/pets?limit=1`, token);
  await send(`${baseUrl}/rate-limit`, token);
  await send(`${baseUrl}/pets`);
  for (const path of [`/keys/${id}`, '/keys', '/usage', '/overview', '/audit', '/accounts']) {
    await send(admin + path, adminToken);
  }
  for (const url of [`${opsUrl}/metrics`, `${opsUrl}/readyz`, `${origin}/docs`]) await send(url);
}

async function send(url: string, token?: string, json?: object): Promise<string> {
  const response = await fetch(url, {
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json && { 'Content-Type': 'application/json' }),
    },
  });
  return await response.text();
}
