import { equal, match } from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { until } from '../../packages/testkit/src/index.ts';
import { postgresPackage } from '../../packages/testkit/src/postgres-binaries.ts';
import { base, image } from './containers.mjs';
import { ask, containerMs, findProgram, repository, run } from './steps.mjs';

const composeFile = join(repository, 'deploy/compose/compose.yaml');
const project = 'animal-store-test';

/**
 * Starts the Compose file with podman: three replicas, Postgres, Redis and HAProxy. The test builds
 * replacements for the public images from this machine's programs, so that it needs no registry.
 */
export async function testCompose({ containers, scope, freePort }) {
  const { podman, env } = containers;
  await podman(['tag', image, 'localhost/animal-store:1.0.0']);
  await makeImages(containers);

  const port = await freePort();
  const settings = {
    PORT: String(port),
    STATISTICS_PORT: String(await freePort()),
    POSTGRES_PASSWORD: 'only-for-this-test',
    SERVICE_PASSWORD: 'also-only-for-this-test',
    ADMIN_TOKEN: 'only-for-this-test-0123456789',
  };
  const compose = (...args) =>
    run('podman-compose', ['--project-name', project, '--file', composeFile, ...args], {
      env: { ...env, ...settings },
      timeoutMs: 180_000,
    });
  scope.defer(() => compose('down', '--timeout', '1', '--volumes').catch(() => {}));
  // The test names each service that it starts, because podman-compose does not support profiles.
  const servers = ['server-1', 'server-2', 'server-3'];
  const container = (name) => `${project}_${name}_1`;
  await compose('up', '--detach', '--no-build', 'postgres', 'valkey');
  await until(async () => {
    const { stderr } = await podman(['logs', container('postgres')]);
    return /listening on IPv4[\s\S]*ready to accept connections/.test(stderr);
  }, containerMs);
  // podman-compose does not wait until a service such as a migration has finished. So the test
  // starts these services one after another, and waits for each.
  for (const name of ['migrate', 'rights']) {
    await compose('up', '--detach', '--no-build', '--no-deps', name);
    const { stdout } = await podman(['wait', container(name)]);
    const { stderr } = await podman(['logs', container(name)]);
    equal(stdout.trim(), '0', `${name}: ${stderr}`);
  }
  await compose('up', '--detach', '--no-build', '--no-deps', ...servers, 'load-balancer');

  const list = (token) => ask(`http://127.0.0.1:${port}/v1/pets?limit=2`, token);
  /** Adds the list of containers and their logs to an error. */
  const explain = async (cause) => {
    const { stdout } = await podman(['ps', '--all']);
    const logs = ['postgres', ...servers, 'load-balancer'].map((name) =>
      podman(['logs', '--tail', '20', container(name)]).catch(String),
    );
    throw new Error(`${stdout}\n${JSON.stringify(await Promise.all(logs), null, 2)}`, { cause });
  };
  const untilUp = (probe) => until(probe, containerMs).catch(explain);
  // The test waits for all replicas, like `docker compose up --wait`. HAProxy itself needs only
  // one. After a container starts, podman's name server may fail for some seconds (podman's issue
  // 13983). A replica that starts at that moment exits. `restart: unless-stopped` should start it
  // again, but podman does not do so without systemd, so the test starts it again. A running
  // replica responds with 503 meanwhile.
  for (const name of servers) {
    await untilUp(async () => {
      const [{ State }] = JSON.parse((await podman(['inspect', container(name)])).stdout);
      if (State.Status === 'exited') await podman(['start', container(name)]);
      return podman(['healthcheck', 'run', container(name)]);
    });
  }
  await untilUp(async () => (await list('nobody')).status === 401);
  // deploy/README.md shows this command to operators. If you change one of the two, change the
  // other.
  const create = [
    ...['exec', container('server-1'), 'node', 'apps/cli/src/cli.ts'],
    ...['keys', 'create', '--name', 'demo', '--plan', 'free', '--json'],
  ];
  const { token } = JSON.parse((await untilUp(() => podman(create))).stdout);
  await untilUp(async () => {
    const { status, headers } = await list(token);
    return status === 200 && headers.get('X-RateLimit-Limit') === '60';
  });
  const read = `fetch('http://127.0.0.1:3001/metrics').then((it) => it.text()).then(console.log)`;
  for (const name of servers) {
    const readMetrics = ['exec', container(name), 'node', '-e', read];
    await untilUp(async () =>
      /^animal_store_replicas 3$/m.test((await podman(readMetrics)).stdout),
    );
  }
  // All replicas are ready now. A short outage of the name server must not affect them. So from now
  // on, a 503 is a bug in the service.
  const listTwentyTimes = async () => {
    for (let n = 0; n < 20; n += 1) {
      const answer = await list(token);
      equal(answer.status, 200, await answer.text());
    }
  };
  await listTwentyTimes().catch(explain);

  // The audit log has one entry, for the API key that this test has created.
  const url = `postgres://animal_store_service:${settings.SERVICE_PASSWORD}@postgres/animal_store`;
  const query = (sql) =>
    podman(['exec', container('postgres'), 'psql', url, '--tuples-only', '--no-align', '-c', sql]);
  equal((await query('select count(*) from audit_entries')).stdout.trim(), '1');
  for (const sql of [
    'delete from audit_entries',
    'truncate audit_entries',
    'alter table audit_entries disable trigger all',
    "set session_replication_role = 'replica'",
    'drop table audit_entries',
  ]) {
    const refusal = await query(sql).then(() => 'not refused', String);
    match(refusal, /cannot be changed|permission denied|must be owner/, sql);
  }
}

/** Finds the real `psql` program. Debian's `psql` command is a script that searches for it. */
function findPsql() {
  const versions = '/usr/lib/postgresql';
  const [newest] = readdirSync(versions).toSorted((a, b) => Number(b) - Number(a));
  return join(versions, newest, 'bin/psql');
}

/**
 * Builds an image from files of this machine. The files keep their paths, and the libraries that
 * the programs load are added.
 */
async function makeImage({ buildah, directory }, name, entrypoint, files) {
  const context = join(directory, basename(name));
  const put = (from, to) => {
    const target = join(context, 'root', to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(realpathSync(from), target, { recursive: true, verbatimSymlinks: true });
  };
  for (const [to, from] of Object.entries(files)) {
    put(from, to);
    // `ldd` fails for folders and text files. They load no libraries, so the failure is ignored.
    const { stdout } = await run('ldd', [from]).catch(() => ({ stdout: '' }));
    // The libraries are copied to one folder, wherever they are on this machine. Every Debian image
    // has this folder.
    for (const [, library] of stdout.matchAll(/=> (\/\S+)/g)) {
      put(library, join('/usr/lib/x86_64-linux-gnu', basename(library)));
    }
  }
  const lines = [`FROM ${base}`, 'COPY root /', `ENTRYPOINT ${JSON.stringify(entrypoint)}`];
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  await buildah(['bud', '--isolation', 'chroot', '--tag', `localhost/${name}`, context]);
}

/**
 * Builds images with the names in the Compose file, which podman would otherwise pull from a
 * registry.
 */
async function makeImages(containers) {
  const haproxy = ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'];
  await makeImage(containers, 'haproxy:3.0.5-alpine', haproxy, {
    '/usr/local/bin/haproxy': findProgram('haproxy'),
  });
  // With `--protected-mode no`, Redis accepts other hosts without a password, as in the public
  // image.
  const valkey = ['/bin/sh', '-c', 'exec "$@" --protected-mode no --dir /data', 'sh'];
  await makeImage(containers, 'valkey/valkey:8.0.1-alpine', valkey, {
    '/usr/local/bin/valkey-server': findProgram('valkey-server') ?? findProgram('redis-server'),
  });
  const write = (name, text) => {
    writeFileSync(join(containers.directory, name), text);
    return join(containers.directory, name);
  };
  await makeImage(containers, 'postgres:17.2-alpine', ['node', '/entry.cjs'], {
    '/usr/local/pgsql': postgresPackage(),
    '/usr/local/bin/psql': findPsql(),
    '/entry.cjs': write('entry.cjs', postgresEntry),
    '/etc/passwd': write(
      'passwd',
      'root:x:0:0:root:/root:/bin/sh\npostgres:x:1000:1000::/:/bin/sh\n',
    ),
  });
}

/**
 * A replacement for the entry point of the public Postgres image. It creates the database at the
 * first start, and then runs Postgres.
 */
const postgresEntry = `
const { execFileSync, spawn } = require('node:child_process');
const { chownSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const data = '/var/lib/postgresql/data';
const user = { uid: 1000, gid: 1000 };
const bin = '/usr/local/pgsql/bin/';
const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = process.env;
mkdirSync(data, { recursive: true });
chownSync(data, 1000, 1000);
if (!existsSync(data + '/PG_VERSION')) {
  execFileSync(bin + 'initdb', ['-D', data, '-U', POSTGRES_USER, '-A', 'trust', '--no-sync', '--locale=C', '-E', 'UTF8'], user);
  writeFileSync(data + '/pg_hba.conf', 'host all all all scram-sha-256\\n');
  const statements = ['alter role ' + POSTGRES_USER + " password '" + POSTGRES_PASSWORD + "'", 'create database ' + POSTGRES_DB];
  execFileSync(bin + 'postgres', ['--single', '-D', data, 'postgres'], { ...user, input: statements.join('\\n') });
}
const server = spawn(bin + 'postgres', ['-D', data, '-c', 'listen_addresses=*', '-c', 'unix_socket_directories='], { ...user, stdio: 'inherit' });
process.on('SIGTERM', () => server.kill('SIGINT'));
server.on('exit', (code) => process.exit(code));
`;
