import { equal } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../packages/testkit/src/index.ts';
import { ask, askAdmin, makeDirectory, readMetrics, start, startReplica } from './steps.mjs';

/**
 * Runs two replicas on PgBouncer in session mode. The database is migrated through PgBouncer, and
 * both replicas are notified when an API key changes. PgBouncer does not reset its sessions, so
 * a replica must not leave the migration lock or changed settings behind.
 */
export async function testPooler({ scope, createDatabase, freePort }) {
  const env = { DATABASE_URL: await startPooler(scope, await createDatabase(), await freePort()) };
  const [first, second] = await Promise.all([startReplica(scope, env), startReplica(scope, env)]);

  const { key, token } = await askAdmin(first, '/keys', { name: 'pooled', plan: 'free' });
  const list = async () => (await ask(`${second.baseUrl}/pets`, token)).status;
  equal(await list(), 200);
  await askAdmin(first, `/keys/${key.id}/revoke`);
  // `until` waits much less time than an API key stays in the cache. So the replica must have been
  // notified of the revocation.
  await until(async () => (await list()) === 401);
  await until(async () => /^animal_store_replicas 2$/m.test(await readMetrics(second.opsUrl)));
  equal(await first.stop(), 0);
  const third = await startReplica(scope, env);
  equal((await ask(`${third.baseUrl}/pets`, token)).status, 401);
}

/**
 * Starts PgBouncer in session mode, with the configuration from docs/operating.md, but without
 * the query that resets a session.
 *
 * @returns the database URL.
 */
async function startPooler(scope, { name, url }, port) {
  const { hostname, port: target, username, password } = new URL(url);
  const file = join(await makeDirectory(scope), 'pgbouncer.ini');
  const settings = `[databases]
${name} = host=${hostname} port=${target} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
server_reset_query =
ignore_startup_parameters = statement_timeout, bytea_output, search_path, default_transaction_isolation
`;
  writeFileSync(file, settings);
  // PgBouncer refuses to run as root. It reads its configuration before it changes to the user
  // `nobody`.
  const asRoot = process.getuid() === 0 ? ['-u', 'nobody'] : [];
  const pooler = await start(scope, 'pgbouncer', [...asRoot, file]);
  await pooler.untilOutput(/process up/);
  return `postgres://${username}@127.0.0.1:${port}/${name}`;
}
