import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLoad } from '../../apps/server/test/support/load.ts';
import { openPostgres, openRedis, until } from '../../packages/testkit/src/index.ts';
import {
  ask,
  askAdmin,
  makeDirectory,
  readMetrics,
  repository,
  run,
  start,
  startReplica,
} from './steps.mjs';

/**
 * The pause of each caller between requests, in milliseconds. It is short, so that requests are
 * open at nearly every moment. Without a pause, the other programs would get too little CPU time.
 */
const pauseMs = 20;

/**
 * Tests HAProxy with the Compose configuration, in front of three replicas under load. While two
 * replicas restart one after the other, no request may fail. When one replica is killed and another
 * frozen, no read may fail, and no animal may be created twice. Finally, the database and the
 * replicas stop.
 */
export async function testLoadBalancer({ scope, freePort, say }) {
  const compose = readFileSync(join(repository, 'deploy/compose/compose.yaml'), 'utf8');
  const [, SHUTDOWN_GRACE_MS] = /SHUTDOWN_GRACE_MS: '(\d+)'/.exec(compose) ?? [];
  const postgres = scope.use(await openPostgres());
  const { url } = await postgres.createDatabase();
  const { url: redisUrl } = scope.use(await openRedis());
  const shared = { DATABASE_URL: url, REDIS_URL: redisUrl, TRUST_PROXY: '1', LOG_LEVEL: 'warn' };
  const addresses = [];
  for (let i = 0; i < 3; i += 1)
    addresses.push({ PORT: `${await freePort()}`, OPS_PORT: `${await freePort()}` });
  const startAt = (address) => startReplica(scope, { ...shared, SHUTDOWN_GRACE_MS, ...address });
  const servers = await Promise.all(addresses.map(startAt));
  const [publicPort, statisticsPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${publicPort}`;
  const statistics = `http://127.0.0.1:${statisticsPort}`;
  const balancer = await startBalancer(scope, addresses, { publicPort, statisticsPort });

  const quota = { perMinute: 1_000_000, perDay: 10_000_000 };
  const key = { name: 'load', plan: 'enterprise', quota };
  const { token } = await askAdmin(servers[0], '/keys', key);
  const get = (path) => ask(origin + path, token);
  const answer = await until(async () => {
    const answer = await get('/v1/pets');
    return answer.ok && answer;
  });
  equal(answer.headers.get('Keep-Alive'), 'timeout=55');

  let created = 0;
  /**
   * Sends a request, reads the whole response, and returns its outcome. `fetch` never retries, so
   * every retry comes from HAProxy.
   */
  async function send(_round, index) {
    const method = index % 2 === 0 ? 'GET' : 'POST';
    created += 1;
    const pet = { name: `Rex ${created}`, categoryId: 1 };
    const outcome = await ask(`${origin}/v1/pets`, token, method === 'POST' ? pet : undefined)
      .then((answer) => answer.text().then(() => answer.status))
      .catch(String);
    return `${method}: ${outcome}`;
  }
  /** Sends reads and creations until a promise settles, and returns the requests that failed. */
  async function failuresDuring(disturb) {
    const load = startLoad({ callers: 8, pauseMs, ask: send });
    await disturb().finally(load.stop);
    const failures = load.answers.filter((outcome) => !/: 20[01]$/.test(outcome));
    const answers = load.answers.length - failures.length;
    ok(answers > 100, `Only ${answers} requests succeeded, expected more than 100.`);
    say(`${answers} requests succeeded; failed: ${failures.join(', ') || 'none'}`);
    return failures;
  }
  /** Starts a stopped replica, and waits until HAProxy sends requests to it again. */
  async function startAgain(index) {
    servers[index] = await startAt(addresses[index]);
    const served = /^animal_store_http_requests_total\{.*status="200"\} [1-9]/m;
    await until(async () => served.test(await readMetrics(servers[index].opsUrl)));
  }

  say('two restarts, one after the other');
  const failed = await failuresDuring(async () => {
    for (const index of [0, 1]) {
      equal(await servers[index].stop(), 0);
      await startAgain(index);
    }
  });
  deepEqual(failed, []);

  say('a replica is killed, and started again');
  const failedByKill = await failuresDuring(async () => {
    await servers[0].kill();
    await startAgain(0);
  });
  ok(
    !failedByKill.some((failure) => failure.startsWith('GET')),
    'A read failed while a replica was killed.',
  );

  say('a replica is frozen, until HAProxy no longer sends requests there');
  const down = 'haproxy_server_status{proxy="replicas",server="server-2",state="DOWN"} 1';
  const failedByFreeze = await failuresDuring(async () => {
    servers[1].signal('SIGSTOP');
    await until(async () => (await readMetrics(statistics)).includes(down));
  });
  servers[1].signal('SIGCONT');
  // HAProxy does not retry creations, so the callers get a 503 for them.
  deepEqual(new Set(['POST: 503', ...failedByFreeze]), new Set(['POST: 503']));
  // The frozen replica continues now, and executes the requests that it received while it was
  // frozen.
  await until(async () => (await fetch(`${servers[1].opsUrl}/readyz`)).ok);
  await expectNoDuplicates(get);

  match(
    await readMetrics(statistics),
    /^haproxy_backend_http_responses_total\{proxy="replicas",code="2xx"\} [1-9]/m,
  );
  match(await (await fetch(statistics)).text(), /Statistics Report/);
  await postgres.stop();
  await untilBalancerAnswers(() => get('/v1/pets?secret=1'));
  for (const path of ['/docs', '/openapi.json', '/llms.txt', '/llms-full.txt'])
    equal((await get(path)).status, 200);
  say('no replica is ready: the Error body, and the reference of those that are alive');
  await Promise.all(servers.map((server) => server.kill()));
  await untilBalancerAnswers(() => get('/docs'));
  match(balancer.output(), / replicas\/<NOSRV> .* 503 .* GET \/v1\/pets [0-9a-f-]{36}$/m);
  ok(
    !balancer.output().includes('secret'),
    'The log of HAProxy contains the query of a request, which may contain a secret.',
  );
}

/** Waits until HAProxy itself responds, and checks that its response is a valid 503 of the API. */
async function untilBalancerAnswers(askAgain) {
  // A replica may still respond until HAProxy's health checks have failed.
  const { response, text } = await until(async () => {
    const response = await askAgain();
    const text = await response.text();
    return text.includes('The service is unavailable') && { response, text };
  });
  const { message, ...others } = JSON.parse(text);
  equal(typeof message, 'string');
  deepEqual(others, { code: 'service_unavailable', status: 503 });
  equal(response.status, 503);
  match(response.headers.get('Retry-After'), /^[1-9]\d*$/);
  match(response.headers.get('X-Request-Id'), /^[0-9a-f-]{36}$/);
  const fixed = ['Content-Type', 'Cache-Control', 'Access-Control-Allow-Origin'];
  deepEqual(
    fixed.map((name) => response.headers.get(name)),
    ['application/json; charset=utf-8', 'no-store', '*'],
  );
}

/**
 * Checks that no two animals have the same name. Each request used its own name, so equal names
 * would mean a duplicate creation.
 */
async function expectNoDuplicates(get) {
  const names = [];
  for (let path = '/v1/pets?limit=100'; path !== undefined; ) {
    const answer = await get(path);
    names.push(...(await answer.json()).map(({ name }) => name));
    path = /<[^>]*(\/v1\/pets[^>]*)>; rel="next"/.exec(answer.headers.get('Link'))?.[1];
  }
  ok(names.length > 100, `There are only ${names.length} animals, expected more than 100.`);
  equal(new Set(names).size, names.length);
}

async function startBalancer(scope, addresses, { publicPort, statisticsPort }) {
  const directory = await makeDirectory(scope);
  cpSync(join(repository, 'deploy/compose/haproxy'), directory, { recursive: true });
  const file = join(directory, 'haproxy.cfg');
  let configuration = readFileSync(file, 'utf8')
    .replace('bind :3000', `bind 127.0.0.1:${publicPort}`)
    .replace('bind :8404', `bind 127.0.0.1:${statisticsPort}`)
    .replaceAll(' check port 3001', ' check');
  for (const [index, { PORT, OPS_PORT }] of addresses.entries()) {
    const name = `server-${index + 1}`;
    configuration = configuration.replaceAll(
      `server ${name} ${name}:3000`,
      `server ${name} 127.0.0.1:${PORT} port ${OPS_PORT}`,
    );
  }
  writeFileSync(file, configuration);
  await run('haproxy', ['-c', '-f', file]);
  return start(scope, 'haproxy', ['-db', '-f', file]);
}
