import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';
import { adminToken, askAdmin, expect, start, until } from './steps.mjs';

/** Runs two replicas on PgBouncer in session mode: it migrates, and tells them of changed keys. */
export async function testPooler({ scope, createDatabase, freePort, say }) {
  const database = await createDatabase();
  const env = {
    DATABASE_URL: await startPooler(scope, database, await freePort()),
    ADMIN_TOKEN: adminToken,
  };
  const start = async () => scope.use(await startServer({ env }));
  const [first, second] = await Promise.all([start(), start()]);

  const { key, token } = await askAdmin(first, 'POST', '/keys', { name: 'pooled', plan: 'free' });
  const list = async () => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${second.baseUrl}/pets`, { headers })).status;
  };
  expect((await list()) === 200, 'A new key does not work.');
  await askAdmin(first, 'POST', `/keys/${key.id}/revoke`);
  // Long before the cached key would end by itself.
  await until(async () => (await list()) === 401, 'A revocation that the other replica hears');
  await until(async () => {
    const metrics = await (await fetch(`${second.opsUrl}/metrics`)).text();
    return /^animal_store_replicas 2$/m.test(metrics);
  }, 'A count of two replicas');
  expect((await first.stop()) === 0, 'A replica did not stop with exit code 0.');
  say('migrated; a revocation was heard; two replicas counted each other');
}

/** Starts a PgBouncer in session mode, configured as docs/operating.md says, and gives its URL. */
async function startPooler(scope, { name, url }, port) {
  const { path: directory } = scope.use(await temporaryDirectory());
  const { hostname, port: target, username, password } = new URL(url);
  const file = join(directory, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `${name} = host=${hostname} port=${target} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = session',
    'ignore_startup_parameters = statement_timeout',
  ];
  writeFileSync(file, `${settings.join('\n')}\n`);
  // It refuses to run as root, and reads its configuration before it changes its user.
  const asRoot = process.getuid() === 0 ? ['-u', 'nobody'] : [];
  await start(scope, 'pgbouncer', [...asRoot, file]).untilOutput(/process up/);
  return `postgres://${username}@127.0.0.1:${port}/${name}`;
}
