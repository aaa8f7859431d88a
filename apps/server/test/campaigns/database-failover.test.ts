import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres as openDatabase } from '@animal-store/postgres/open-postgres';
import { openPostgres, type Server, startServer } from '@animal-store/testkit';
import type { Sql } from 'postgres';
import { test } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { listAll } from '../support/list-all-pets.ts';
import { expectCorrectResponses, isGood, startMixedLoad } from '../support/mixed-load.ts';
import { openMovingName } from '../support/moving-name.ts';
import { call, callUntilServed, wideQuota } from '../support/test-service.ts';
import { untilSlowEvent } from './until-slow-event.ts';

const replicas = 3;

/**
 * Starts a Postgres primary with a synchronous standby, and replicas of the service that receive
 * requests.
 */
async function startWithStandby(stack: AsyncDisposableStack, byName: boolean) {
  const primary = stack.use(await openPostgres());
  const database = await primary.createDatabase();
  await migratePostgres(database.url, migrationOptions);
  const { db, close } = openDatabase(database.url, migrationOptions);
  const key = { name: 'failover', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createApiKey(db, key);
  const newTokens: string[] = [];
  while (newTokens.length < 300) newTokens.push((await createApiKey(db, key)).token);
  await close();
  const standby = await primary.createStandby();
  await primary.asAdmin((sql) => set(sql, 'synchronous_standby_names', '*'));

  const ports = [primary.port, standby.port];
  const name = byName ? await openMovingName(stack, ports) : undefined;
  const host = name?.host ?? ports.map((port) => `127.0.0.1:${port}`).join();
  const DATABASE_URL = database.url.replace(/@[^/]+/, `@${host}`);
  const env = { DATABASE_URL, LOG_LEVEL: 'warn', ...name?.env };
  const servers: Server[] = await Promise.all(
    Array.from({ length: replicas }, () => startServer({ env })),
  );
  for (const server of servers) stack.use(server);
  const loads = servers.map(({ baseUrl }, index) => {
    const own = newTokens.filter((_, n) => n % replicas === index);
    return stack.use(startMixedLoad(baseUrl, token, own));
  });

  return {
    primary,
    standby,
    servers,
    leadTo: (index: number) => name?.leadTo(index),
    /** Waits until every replica has responded correctly to a new request of each kind. */
    async untilGood(): Promise<number> {
      const from = performance.now();
      await untilSlowEvent(() =>
        loads.every((load) =>
          (['list', 'create'] as const).every((kind) =>
            load.answers.some((it) => it.kind === kind && it.sentAt >= from && isGood(it)),
          ),
        ),
      );
      return Math.round(performance.now() - from);
    },
    /**
     * Ends the load and checks its responses. Every response must be correct or a 503, and every
     * acknowledged change must exist.
     */
    async judge(): Promise<void> {
      await Promise.all(loads.map((load) => load.stop()));
      const [first] = servers as [Server];
      // A replica that used the standby before its promotion closes all of its connections when it
      // learns about the promotion. This may happen after its first correct responses, so the
      // requests are repeated until they succeed.
      const there = await listAll(first, token, callUntilServed);
      for (const load of loads) expectCorrectResponses(load, there);
    },
  };
}

type Cluster = Awaited<ReturnType<typeof startWithStandby>>;

/** Changes a setting of a Postgres server and waits until it applies. */
async function set(sql: Sql, setting: string, value: string): Promise<void> {
  await sql.unsafe(`alter system set ${setting} = '${value}'`);
  await sql`select pg_reload_conf()`;
  await untilSlowEvent(async () => (await sql.unsafe(`show ${setting}`))[0]?.[setting] === value);
}

const promote = ({ standby }: Cluster) => standby.asAdmin((sql) => sql`select pg_promote()`);

/**
 * Makes the primary refuse writes, and waits until the standby has received all running writes.
 * Before that, the primary must not continue without the standby. Otherwise it could acknowledge a
 * change that the standby does not have after its promotion.
 */
const demote = ({ primary }: Cluster) =>
  primary.asAdmin(async (sql) => {
    await set(sql, 'default_transaction_read_only', 'on');
    const [{ readOnlySince } = {}] = await sql`select clock_timestamp()::text as "readOnlySince"`;
    await untilSlowEvent(async () => {
      const writing = await sql`select from pg_stat_activity
        where application_name = 'animal-store' and xact_start < ${readOnlySince}::timestamptz`;
      return writing.length === 0;
    });
    await set(sql, 'synchronous_standby_names', '');
  });

const faults: Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>> = {
  async 'the primary is killed, and its standby is promoted after reads have recovered'(cluster) {
    const { primary, servers } = cluster;
    await primary.kill();
    const [{ opsUrl }] = servers as [Server];
    const reasons = async () =>
      ((await call(`${opsUrl}/readyz`, { token: null })).body as { reasons: string[] }).reasons;
    await untilSlowEvent(async () => (await reasons()).includes('The database is read-only.'));
    await promote(cluster);
  },
  // The connections between the replicas and the primary stay open. So a replica learns about the
  // demotion of the primary only when the primary refuses a write.
  async 'the primary is demoted with its connections open, and the standby is promoted'(cluster) {
    await demote(cluster);
    await promote(cluster);
  },
  async 'the name of the database resolves to another machine, and the primary is demoted'(it) {
    await demote(it);
    await promote(it);
    it.leadTo(1);
  },
  'all connections are killed every 150 ms': ({ primary }) =>
    primary.asAdmin(async (sql) => {
      for (let i = 0; i < 27; i += 1) {
        await sql`select pg_terminate_backend(pid), pg_sleep(0) from pg_stat_activity
          where application_name = 'animal-store'`;
        await sql`select pg_sleep(0.15)`;
      }
    }),
};

test.each(Object.entries(faults))(
  'after this fault of Postgres, the replicas of the service respond correctly again: %s',
  async (title, disturb) => {
    await using stack = new AsyncDisposableStack();
    const cluster = await startWithStandby(stack, title.startsWith('the name'));
    await cluster.untilGood();
    await disturb(cluster);
    process.stdout.write(`${title}: good again after ${await cluster.untilGood()} ms\n`);
    await cluster.judge();
  },
);
