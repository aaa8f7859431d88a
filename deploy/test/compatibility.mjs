import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres, startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';
import { expect, node, repository, run, start, until } from './steps.mjs';

/** Postgres and Redis over TLS: with an authority of one's own, another one, and an expired certificate. */
export async function testCompatibility({ scope, createDatabase, freePort, say }) {
  const { path: directory } = scope.use(await temporaryDirectory());
  chmodSync(directory, 0o755);
  await makeCertificates(directory);

  // That of the replicas whose Redis is tried.
  const { url: databaseUrl } = await createDatabase();
  for (const [certificate, authorities] of [
    ['good', ['other', 'authority']],
    ['expired', ['authority']],
  ]) {
    const files = [join(directory, `${certificate}.crt`), join(directory, `${certificate}.key`)];
    const port = await freePort();
    const [postgres] = await Promise.all([
      startPostgres(scope, files),
      startRedis(scope, tlsOptions(files, port)),
    ]);
    for (const authority of authorities) {
      const isGood = certificate === 'good' && authority === 'authority';
      const what = `${certificate} certificate, ${authority === 'other' ? 'wrong' : 'right'} authority`;
      const env = { NODE_EXTRA_CA_CERTS: join(directory, `${authority}.crt`) };
      await tryPostgres(scope, { postgres, env, isGood, what });
      const redis = { files, databaseUrl, env, isGood, what, port };
      await expectBreaker(scope, { ...redis, url: `rediss://localhost:${port}` });
      if (isGood) await trySentinel(scope, { ...redis, directory, sentinelPort: await freePort() });
      say(`Postgres and Redis over TLS, ${what}: ${isGood ? 'connected' : 'refused'}`);
    }
  }
}

async function startPostgres(scope, [certificate, key]) {
  const settings = ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`];
  return scope.use(await openPostgres({ settings }));
}

async function tryPostgres(scope, { postgres, env, isGood, what }) {
  const database = await postgres.createDatabase();
  const url = new URL(database.url);
  url.hostname = 'localhost';
  url.searchParams.set('sslmode', 'verify-full');
  const result = await run(node, [join(repository, 'apps/server/src/migrate.ts')], {
    env: { PATH: '/usr/bin', DATABASE_URL: url.href, ...env },
  }).catch((error) => error);
  if (isGood) {
    expect(!(result instanceof Error), `Postgres, ${what}: ${result.message}`);
    const server = scope.use(await startServer({ env: { DATABASE_URL: url.href, ...env } }));
    const isReady = async () => (await fetch(`${server.opsUrl}/readyz`)).ok;
    await until(isReady, `Postgres, ${what}: a replica that is ready`);
  } else {
    const isClear =
      result instanceof Error &&
      /\nDATABASE_URL: cannot open [^\n]+certificate/.test(result.message);
    expect(isClear, `Postgres, ${what}: ${result.message ?? 'accepted'}`);
  }
}

/** How a Redis or a Sentinel is started with TLS only. */
const tlsOptions = ([certificate, key], port) => [
  ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', ''],
  ...['--tls-cert-file', certificate, '--tls-key-file', key],
  ...['--tls-ca-cert-file', certificate, '--tls-auth-clients', 'no'],
];

const startRedis = (scope, args) =>
  start(scope, 'redis-server', args).untilOutput(/ready to accept connections|sentinel ID is/i);

/** A Sentinel over TLS, with passwords of its own and of the Redis on the port, which has none so far. */
async function trySentinel(scope, { port, sentinelPort, directory, ...redis }) {
  await run('redis-cli', [
    ...['--tls', '--insecure', '-p', String(port), 'config', 'set', 'requirepass', 'of-redis'],
  ]);
  const file = join(directory, 'sentinel.conf');
  const settings = [
    // Certificates are for names, so Sentinels must answer with one.
    ...['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes'],
    `sentinel monitor mymaster localhost ${port} 1`,
    ...['sentinel auth-pass mymaster of-redis', 'requirepass of-sentinel', 'tls-replication yes'],
  ];
  writeFileSync(file, `${settings.join('\n')}\n`);
  await startRedis(scope, [file, '--sentinel', ...tlsOptions(redis.files, sentinelPort)]);
  const url = `rediss+sentinel://:of-redis@localhost:${sentinelPort}/mymaster?sentinelPassword=of-sentinel`;
  await expectBreaker(scope, { ...redis, url, what: `${redis.what}, by a Sentinel` });
}

async function expectBreaker(scope, { url, databaseUrl, env, isGood, what }) {
  const server = scope.use(
    await startServer({ env: { DATABASE_URL: databaseUrl, REDIS_URL: url, ...env } }),
  );
  const expected = `animal_store_redis_breaker_open ${isGood ? 0 : 1}`;
  const isAsExpected = async () => {
    const response = await fetch(`${server.opsUrl}/metrics`);
    return (await response.text()).includes(`\n${expected}\n`);
  };
  await until(isAsExpected, `Redis, ${what}: ${expected}`).catch((error) => {
    throw new Error(`${error.message}\n${server.output()}`);
  });
  expect((await server.stop()) === 0, `Redis, ${what}: the replica ended.\n${server.output()}`);
}

/** Makes two authorities, and two certificates of the first for `localhost`, one of which has expired. */
async function makeCertificates(directory) {
  const openssl = (...args) => run('openssl', args, { cwd: directory });
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  for (const name of ['authority', 'other']) {
    await openssl(
      ...['req', '-x509', ...newKey, `${name}.key`, '-out', `${name}.crt`],
      ...['-days', '30', '-subj', `/CN=${name}`],
    );
  }
  writeFileSync(join(directory, 'names'), 'subjectAltName=DNS:localhost\n');
  const group = Number(
    (await run('sh', ['-c', 'id -g postgres 2>/dev/null || id -g nobody'])).stdout,
  );
  for (const [name, days] of [
    ['good', '30'],
    ['expired', '-1'],
  ]) {
    await openssl('req', ...newKey, `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=localhost');
    await openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'authority.crt', '-CAkey', 'authority.key'],
      ...['-CAcreateserial', '-out', `${name}.crt`, '-days', days, '-extfile', 'names'],
    );
    // As Postgres wants it: the key is root's, and readable by the group that Postgres runs as.
    chmodSync(join(directory, `${name}.key`), 0o640);
    if (process.getuid() === 0) chownSync(join(directory, `${name}.key`), 0, group);
  }
}
