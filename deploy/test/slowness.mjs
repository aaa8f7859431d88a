import { equal, match, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis, until } from '../../packages/testkit/src/index.ts';
import { openTcpProxy } from '../../packages/testkit/src/tcp-proxy.ts';
import { startPrometheus } from './prometheus.mjs';
import {
  ask,
  askAdmin,
  makeDirectory,
  node,
  repository,
  run,
  start,
  startReplica,
} from './steps.mjs';

/**
 * The delay of each response of the slow Redis, in milliseconds. It is shorter than
 * REDIS_TIMEOUT_MS, so the service waits for the response and does not give up.
 */
const slowRedisMs = 120;

/**
 * Tests the runbook "A customer says that it is slow" in docs/operating.md. It causes four faults,
 * one after another, and checks that the commands of the runbook point to each of them.
 */
export async function testSlowness({ scope, createDatabase, freePort, say }) {
  const commands = readCommands();
  const { url: databaseUrl } = await createDatabase();
  const redis = scope.use(await openRedis());
  let delayMs = 0;
  const proxy = scope.use(
    await openTcpProxy({
      target: redis.url,
      onMessage: ({ direction }) =>
        direction === 'response' && delayMs > 0 ? sleep(delayMs) : undefined,
    }),
  );
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: proxy.url };
  const server = await startReplica(scope, env);
  // The replica `small` executes one request at a time, so a few hundred requests overload it.
  const small = await startReplica(scope, { ...env, MAX_IN_FLIGHT: '1' });
  const prometheus = await startPrometheus(scope, [server, small], await freePort());
  const directory = await makeDirectory(scope);
  const quota = { perMinute: 1_000_000, perDay: 1_000_000 };
  const { key, token } = await askAdmin(server, '/keys', {
    ...{ name: 'slow', account: 'C-17', plan: 'enterprise', quota },
  });
  const list = ({ baseUrl }) => ask(`${baseUrl}/pets`, token).then((answer) => answer.text());

  /** Runs the commands of the runbook. Only the addresses are replaced. */
  async function sh(script, replica = server) {
    const log = join(directory, 'log');
    writeFileSync(log, replica.output());
    const addressed = script
      .replaceAll('http://$REPLICA:3001', replica.opsUrl)
      .replaceAll('http://localhost:9090', prometheus.url)
      .replaceAll('npm run --silent usage --', `${node} apps/cli/src/cli.ts usage`);
    const variables = { LOG: log, DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
    const admin = { OPS_URL: replica.opsUrl, ADMIN_TOKEN: 'only-for-this-test-0123456789' };
    const options = { env: { ...process.env, ...variables, ...admin } };
    return (await run('bash', ['-euc', addressed], options)).stdout;
  }

  /** Runs the first two steps of the runbook until they report the slow stage. */
  async function findStage(stage, replica = server) {
    const slowest = await until(async () => {
      const lines = (await sh(`${commands.find} || true`, replica)).split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line)).find((line) => line[`${stage}Ms`] > 50);
    });
    equal(slowest.keyId, key.id);
    equal(slowest.operation, 'listPets');
    const share = await until(async () => {
      await list(replica);
      const shown = await sh(commands.share);
      const [, value] = new RegExp(`\\{stage="${stage}"\\} => (\\S+) @`).exec(shown) ?? [];
      return Number(value) > 0.05 && Number(value);
    });
    say(
      `${stage}: ${slowest[`${stage}Ms`]} of ${slowest.durationMs} ms, ${share.toFixed(2)} of all`,
    );
  }

  // In this part, the slow stage is Redis. First, every response of Redis is delayed. Then, another
  // program keeps Redis busy.
  await list(server);
  delayMs = slowRedisMs;
  await list(server);
  await findStage('redis');
  delayMs = 0;
  await run('redis-cli', ['-u', redis.url, 'eval', 'for i = 1, 1e7 do end', '0']);
  const redisOutput = await sh(commands.redis);
  match(redisOutput, /^eval\nfor i = 1, 1e7 do end\n/m);
  match(redisOutput, /^cmdstat_evalsha:calls=\d+,usec=\d+,usec_per_call=/m);
  match(redisOutput, /^animal_store_redis_breaker_open 0$/m);
  match(redisOutput, /^animal_store_redis_command_duration_seconds_sum\{command="evalsha"\} /m);

  // In this part, the slow stage is Postgres, because another session holds a lock on the table of
  // animals.
  const lock = 'begin; lock table pets in access exclusive mode; select pg_sleep(600)';
  await start(scope, 'psql', [databaseUrl, '--command', lock]);
  const listing = until(async () => {
    const shown = await sh(commands.database);
    // The test waits until the runbook's query shows a session that has waited for the lock on the
    // table for at least a second. The last column contains the session that holds the lock.
    return /\| 00:00:0[1-9]\.\d+ +\| Lock +\| \{(\d+)\}/.exec(shown)?.[1];
  });
  const holder = await Promise.race([listing, repeatUntil(() => list(server), listing)]);
  await sh(`psql $DATABASE_URL -c "select pg_terminate_backend(${holder})"`);
  await findStage('sql');

  // In this part, the slow stage is the queue, because the customer sends more requests than the
  // replica can handle.
  const burst = () => Promise.all(Array.from({ length: 300 }, () => list(small)));
  const bursts = repeatUntil(
    burst,
    until(() => /"queueMs":\d{3}/.test(small.output())),
  );
  await bursts;
  await findStage('queue', small);
  const replicaOutput = await sh(commands.replica, small);
  match(replicaOutput, /^animal_store_requests_waiting \d+$/m);
  match(replicaOutput, /job="animal-store", namespace="shop"\} => \d/);
  ok(new RegExp(`^${key.id} +slow +C-17 `, 'm').test(replicaOutput), replicaOutput);
}

/** Calls a function again and again until a promise settles, and returns the promise's result. */
async function repeatUntil(act, end) {
  let isOver = false;
  const result = Promise.resolve(end).finally(() => {
    isOver = true;
  });
  while (!isOver) await Promise.race([act(), result]);
  return result;
}

/**
 * Reads the commands of the runbook from docs/operating.md, in the order of the runbook's steps.
 */
function readCommands() {
  const text = readFileSync(join(repository, 'docs/operating.md'), 'utf8');
  const [, section = ''] = /^## A customer says that it is slow\n([\s\S]*?)^## /m.exec(text) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) =>
    block.trim(),
  );
  equal(blocks.length, 5, 'The runbook has other commands than this test expects.');
  const [find, share, redis, database, replica] = blocks;
  return { find, share, redis, database, replica };
}
