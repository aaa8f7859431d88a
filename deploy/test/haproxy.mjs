import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  openPostgres,
  openRedis,
  startServer,
  temporaryDirectory,
} from '../../packages/testkit/src/index.ts';
import { adminToken, askAdmin, expect, repository, run, start, until } from './steps.mjs';

const callers = 8;

/** How long each caller pauses: so there is a request at every moment, and time for what runs beside it. */
const pauseMs = 20;

/**
 * Restarts two of three replicas, one after the other, behind HAProxy with the configuration of Compose, under
 * load: no request may fail. Kills one and freezes another: no read may fail, and nothing may be created
 * twice. Then takes away the database, and the replicas.
 */
export async function testLoadBalancer({ scope, freePort, say }) {
  const compose = readFileSync(join(repository, 'deploy/compose/compose.yaml'), 'utf8');
  const [, grace] = /SHUTDOWN_GRACE_MS: '(\d+)'/.exec(compose) ?? [];
  const postgres = scope.use(await openPostgres());
  const { url } = await postgres.createDatabase();
  const redis = scope.use(await openRedis());
  const addresses = [];
  for (let i = 0; i < 3; i += 1)
    addresses.push({ port: await freePort(), opsPort: await freePort() });
  const startReplica = async ({ port, opsPort }) =>
    scope.use(
      await startServer({
        env: {
          ...{ DATABASE_URL: url, REDIS_URL: redis.url, ADMIN_TOKEN: adminToken },
          ...{ PORT: String(port), OPS_PORT: String(opsPort) },
          ...{ SHUTDOWN_GRACE_MS: grace, TRUST_PROXY: '1', LOG_LEVEL: 'warn' },
        },
      }),
    );
  const servers = await Promise.all(addresses.map(startReplica));
  const publicPort = await freePort();
  const statisticsPort = await freePort();
  const balancer = await startBalancer(scope, addresses, { publicPort, statisticsPort });

  const quota = { perMinute: 1_000_000, perDay: 10_000_000 };
  const key = { name: 'load', plan: 'enterprise', quota };
  const { token } = await askAdmin(servers[0], 'POST', '/keys', key);
  // Keeps connections open, as callers do, and never sends a request twice.
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  scope.defer(() => agent.destroy());
  const ask = (method, path, body) => send({ agent, port: publicPort, method, path, token, body });
  await until(async () => (await ask('GET', '/v1/pets')) === 200, 'A replica behind HAProxy').catch(
    (error) => {
      throw new Error(`${error.message}\n${balancer.output()}`);
    },
  );

  let created = 0;
  /** Sends reads and creations until something has happened, and gives those that failed. */
  async function failuresDuring(happen) {
    const failures = [];
    let answers = 0;
    let isOver = false;
    async function call(index) {
      while (!isOver) {
        created += 1;
        const [method, path, body] =
          index % 2 === 0
            ? ['GET', '/v1/pets?limit=5']
            : ['POST', '/v1/pets', `{"name":"Rex ${created}","categoryId":1}`];
        try {
          const status = await ask(method, path, body);
          if (status < 300) answers += 1;
          else failures.push(`${method} ${path}: ${status}`);
        } catch (error) {
          failures.push(`${method} ${path}: ${error.message}`);
        }
        await setTimeout(pauseMs);
      }
    }
    const calling = Array.from({ length: callers }, (_, index) => call(index));
    try {
      await happen();
    } finally {
      isOver = true;
      await Promise.all(calling);
    }
    expect(answers > 100, `Only ${answers} requests were answered.`);
    say(`${answers} good answers; failed: ${failures.join(', ') || 'none'}`);
    return failures;
  }
  // HAProxy has found it, and sends requests there.
  const untilServed = (address) => until(() => hasServed(address), 'A replica that serves again');

  say('two restarts, one after the other');
  const failed = await failuresDuring(async () => {
    for (const [index, address] of addresses.slice(0, 2).entries()) {
      expect((await servers[index].stop()) === 0, 'A replica did not stop with exit code 0.');
      servers[index] = await startReplica(address);
      await untilServed(address);
    }
  });
  expect(failed.length === 0, `${failed.length} requests failed.`);

  say('a replica is killed, and started again');
  const failedByKill = await failuresDuring(async () => {
    await servers[0].kill();
    servers[0] = await startReplica(addresses[0]);
    await untilServed(addresses[0]);
  });
  expect(!failedByKill.some((failure) => failure.startsWith('GET')), 'A read failed.');

  say('a replica is frozen, until HAProxy no longer sends requests there');
  const down = 'haproxy_server_status{proxy="replicas",server="server-2",state="DOWN"} 1';
  const failedByFrost = await failuresDuring(async () => {
    servers[1].signal('SIGSTOP');
    const isDown = async () => (await textOf(statisticsPort, 'metrics')).includes(down);
    await until(isDown, 'HAProxy to miss a replica');
  });
  servers[1].signal('SIGCONT');
  expect(
    failedByFrost.every((failure) => failure === 'POST /v1/pets: 503'),
    'A read failed, or a creation had no answer.',
  );
  // What it was sent while it was frozen, it does now.
  await untilReady(addresses[1]);
  await expectNoTwins(publicPort, token);
  say('nothing was created twice');

  const get = (path) =>
    fetch(`http://127.0.0.1:${publicPort}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
  await expectStatistics(statisticsPort);
  await postgres.stop();
  await untilBalancerAnswers(() => get('/v1/pets?secret=1'));
  for (const path of ['/docs', '/openapi.json']) {
    const { status } = await get(path);
    expect(status === 200, `Without a database ${path} answers ${status}.`);
  }
  say('no replica is ready: the Error body, and the reference of those that are alive');
  await Promise.all(servers.map((server) => server.kill()));
  await untilBalancerAnswers(() => get('/docs'));
  const line = / replicas\/<NOSRV> .* 503 .* GET \/v1\/pets [0-9a-f-]{36}$/m;
  expect(line.test(balancer.output()), `HAProxy logs no ${line}:\n${balancer.output()}`);
  expect(!balancer.output().includes('secret'), 'HAProxy logs queries.');
  say('no replica is alive: the Error body for the reference too');
}

/** Waits for the answer of HAProxy itself, and expects what the API promises of a 503. */
async function untilBalancerAnswers(ask) {
  // Until it has noticed, the answers are those of replicas.
  const { answer, text } = await until(async () => {
    const answer = await ask();
    const text = await answer.text();
    return text.includes('The service is unavailable') && { answer, text };
  }, 'An answer of HAProxy');
  const header = (name) => answer.headers.get(name);
  expect(answer.status === 503, `HAProxy answers ${answer.status}.`);
  const { code, message, status, ...others } = JSON.parse(text);
  const isError = code === 'service_unavailable' && typeof message === 'string' && status === 503;
  expect(isError && Object.keys(others).length === 0, `HAProxy answers ${text}`);
  const type = header('Content-Type');
  expect(type === 'application/json; charset=utf-8', `HAProxy answers ${type}.`);
  expect(/^[1-9]\d*$/.test(header('Retry-After')), `Retry-After: ${header('Retry-After')}`);
  expect(/^[0-9a-f-]{36}$/.test(header('X-Request-Id')), `X-Request-Id: ${header('X-Request-Id')}`);
  expect(header('Cache-Control') === 'no-store', `Cache-Control: ${header('Cache-Control')}`);
  expect(header('Access-Control-Allow-Origin') === '*', 'No page may read the answer of HAProxy.');
}

const textOf = async (port, path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).text();

const untilReady = ({ opsPort }) =>
  until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, 'A ready replica');

/** Expects that each animal has a name of its own, as each was sent with one. */
async function expectNoTwins(port, token) {
  const names = [];
  for (let path = '/v1/pets?limit=100'; path !== undefined; ) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    names.push(...(await answer.json()).map(({ name }) => name));
    path = /<[^>]*(\/v1\/pets[^>]*)>; rel="next"/.exec(answer.headers.get('Link'))?.[1];
  }
  expect(names.length > 100, `There are only ${names.length} animals.`);
  expect(new Set(names).size === names.length, 'An animal was created twice.');
}

async function expectStatistics(port) {
  const metrics = await textOf(port, 'metrics');
  const isCounted = /^haproxy_backend_http_responses_total\{proxy="replicas",code="2xx"\} [1-9]/m;
  expect(isCounted.test(metrics), 'HAProxy does not count its answers.');
  const page = await textOf(port, '');
  expect(page.includes('Statistics Report'), 'HAProxy has no page of statistics.');
}

async function startBalancer(scope, addresses, { publicPort, statisticsPort }) {
  const { path: directory } = scope.use(await temporaryDirectory());
  cpSync(join(repository, 'deploy/compose/haproxy'), directory, { recursive: true });
  const file = join(directory, 'haproxy.cfg');
  let configuration = readFileSync(file, 'utf8')
    .replace('bind :3000', `bind 127.0.0.1:${publicPort}`)
    .replace('bind :8404', `bind 127.0.0.1:${statisticsPort}`)
    .replaceAll(' check port 3001', ' check');
  for (const [index, { port, opsPort }] of addresses.entries()) {
    const name = `server-${index + 1}`;
    const inCompose = `server ${name} ${name}:3000`;
    expect(configuration.includes(inCompose), `haproxy.cfg lacks "${inCompose}".`);
    configuration = configuration.replaceAll(
      inCompose,
      `server ${name} 127.0.0.1:${port} port ${opsPort}`,
    );
  }
  writeFileSync(file, configuration);
  await run('haproxy', ['-c', '-f', file]);
  return start(scope, 'haproxy', ['-db', '-f', file]);
}

async function hasServed({ opsPort }) {
  const response = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
  return /^animal_store_http_requests_total\{.*status="200"\} [1-9]/m.test(await response.text());
}

/** Sends one request, reads its answer to the end, and gives the status. */
function send({ agent, port, method, path, token, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      }),
    };
    const sent = request({ host: '127.0.0.1', agent, port, method, path, headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode))
        .on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}
