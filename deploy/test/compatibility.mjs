import { equal, ok } from 'node:assert/strict';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres, openRedis, until } from '../../packages/testkit/src/index.ts';
import { postgresUser } from '../../packages/testkit/src/postgres-binaries.ts';
import { makeDirectory, node, readMetrics, repository, run, startReplica } from './steps.mjs';

/**
 * Connects the service to Postgres and Redis over TLS. The service must accept a certificate from a
 * private authority. It must refuse a certificate from an unknown authority, and an expired
 * certificate.
 */
export async function testCompatibility({ scope, createDatabase, freePort, say }) {
  const directory = await makeDirectory(scope);
  chmodSync(directory, 0o755);
  await makeCertificates(directory);

  // The test needs this Postgres server only while it tries to connect to Redis over TLS. The
  // attempts to connect to Postgres over TLS use other servers.
  const { url: databaseUrl } = await createDatabase();
  for (const [certificate, authorities] of [
    ['good', ['other', 'authority']],
    ['expired', ['authority']],
  ]) {
    const [cert, key] = ['crt', 'key'].map((type) => join(directory, `${certificate}.${type}`));
    const port = await freePort();
    const settings = ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`];
    const postgres = scope.use(await openPostgres({ settings }));
    const redis = scope.use(await openRedis({ args: tlsOptions(cert, key, port) }));
    for (const authority of authorities) {
      const isGood = certificate === 'good' && authority === 'authority';
      const env = { NODE_EXTRA_CA_CERTS: join(directory, `${authority}.crt`) };
      const isTrusted = authority === 'authority';
      await tryPostgres(scope, { postgres, env, isGood, isTrusted });
      const tryRedis = (url) =>
        expectBreaker(scope, { DATABASE_URL: databaseUrl, REDIS_URL: url, ...env }, !isGood);
      await tryRedis(`rediss://localhost:${port}`);
      if (isGood) {
        const sentinelPort = await freePort();
        await startSentinel(scope, { redis, port, directory }, tlsOptions(cert, key, sentinelPort));
        const sentinel = `localhost:${sentinelPort}/mymaster?sentinelPassword=of-sentinel`;
        await tryRedis(`rediss+sentinel://:of-redis@${sentinel}`);
      }
      say(`${certificate} certificate, ${authority}: ${isGood ? 'connected' : 'refused'}`);
    }
  }
}

async function tryPostgres(scope, { postgres, env, isGood, isTrusted }) {
  const url = new URL((await postgres.createDatabase()).url);
  url.hostname = 'localhost';
  url.searchParams.set('sslmode', 'verify-full');
  const DATABASE_URL = url.href;
  if (isGood) {
    const server = await startReplica(scope, { DATABASE_URL, ...env });
    await until(async () => (await fetch(`${server.opsUrl}/readyz`)).ok);
  } else {
    const migrating = run(node, [join(repository, 'apps/server/src/migrate.ts')], {
      env: { PATH: '/usr/bin', DATABASE_URL, ...env },
    });
    const outcome = await migrating.catch(({ message }) => message);
    const reason = isTrusted ? 'certificate has expired' : 'does not trust the certificate of';
    ok(outcome.includes('\nDATABASE_URL: cannot open'), `Postgres: ${outcome}`);
    ok(outcome.includes(reason), `Postgres: ${outcome}`);
  }
}

/**
 * Returns the options with which Redis or Sentinel opens a TLS port, in addition to its port
 * without TLS.
 */
const tlsOptions = (certificate, key, port) => [
  ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
  ...['--tls-ca-cert-file', certificate, '--tls-auth-clients', 'no'],
];

/**
 * Starts a Sentinel that accepts TLS connections. The Sentinel has its own password. The function
 * also sets a password in the Redis that the Sentinel monitors.
 */
async function startSentinel(scope, { redis, port, directory }, options) {
  await redis.command('config', 'set', 'requirepass', 'of-redis');
  const file = join(directory, 'sentinel.conf');
  // A Sentinel must return host names and not addresses, because the certificates are for names.
  const settings = `sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel monitor mymaster localhost ${port} 1
sentinel auth-pass mymaster of-redis
requirepass of-sentinel
tls-replication yes
`;
  writeFileSync(file, settings);
  scope.use(await openRedis({ args: [file, '--sentinel', ...options] }));
}

async function expectBreaker(scope, env, isOpen) {
  const server = await startReplica(scope, env);
  const expected = `\nanimal_store_redis_breaker_open ${Number(isOpen)}\n`;
  await until(async () => (await readMetrics(server.opsUrl)).includes(expected));
  equal(await server.stop(), 0, server.output());
}

/**
 * Creates two certificate authorities. The first authority signs two certificates for `localhost`:
 * a valid one and an expired one.
 */
async function makeCertificates(directory) {
  const openssl = (line) => run('openssl', line.split(' '), { cwd: directory });
  for (const name of ['authority', 'other']) {
    const key = `-newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.crt`;
    await openssl(`req -x509 ${key} -days 30 -subj /CN=${name}`);
  }
  writeFileSync(join(directory, 'names'), 'subjectAltName=DNS:localhost\n');
  const user = await postgresUser();
  for (const [name, days] of [
    ['good', 30],
    ['expired', -1],
  ]) {
    const key = join(directory, `${name}.key`);
    await openssl(
      `req -newkey rsa:2048 -nodes -keyout ${key} -out ${name}.csr -subj /CN=localhost`,
    );
    const signed = '-CA authority.crt -CAkey authority.key -CAcreateserial -extfile names';
    await openssl(`x509 -req -in ${name}.csr ${signed} -out ${name}.crt -days ${days}`);
    // If the private key belongs to root, Postgres accepts it only if nobody outside the file's
    // group can read it.
    chmodSync(key, 0o640);
    if (user) chownSync(key, 0, user.gid);
  }
}
