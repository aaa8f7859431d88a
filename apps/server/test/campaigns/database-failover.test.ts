import { openPostgres, type Server, startServer } from '@animal-store/testkit';
import postgres from 'postgres';
import { beforeEach, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres as openDatabase } from '../../src/database/open-postgres.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { listAll } from '../support/list-all-pets.ts';
import { expectRight, isGood, startMixedLoad } from '../support/mixed-load.ts';
import { openMovingName } from '../support/moving-name.ts';
import { call, callUntilServed, wideQuota } from '../support/test-service.ts';
import { untilLate } from './until-late.ts';

const replicas = 3;
let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
  return () => stack.disposeAsync();
});

type Hosts = { readonly host: string; readonly env?: Readonly<Record<string, string>> };

/**
 * A primary with a standby that has everything which is acknowledged, and replicas under load.
 *
 * @param hostsOf where the replicas look for them, as `DATABASE_URL` has it.
 */
async function startWithStandby<H extends Hosts = Hosts>(
  hostsOf = async (ports: readonly number[]) =>
    ({ host: ports.map((port) => `127.0.0.1:${port}`).join() }) as H,
) {
  const primary = stack.use(await openPostgres());
  const database = await primary.createDatabase();
  await migratePostgres(database.url);
  const { db, close } = openDatabase(database.url);
  const key = { name: 'failover', plan: 'enterprise', quota: wideQuota } as const;
  const { token } = await createApiKey(db, key);
  const newTokens: string[] = [];
  while (newTokens.length < 300) newTokens.push((await createApiKey(db, key)).token);
  await close();
  const standby = await primary.createStandby();
  await asAdmin(primary.adminUrl, async (sql) => {
    await sql`alter system set synchronous_standby_names = '*'`;
    await sql`select pg_reload_conf()`;
    await untilLate(
      async () =>
        (await sql`show synchronous_standby_names`)[0]?.['synchronous_standby_names'] === '*',
    );
  });
  const hosts = await hostsOf([primary.port, standby.port]);
  const url = database.url.replace(/@[^/]+/, `@${hosts.host}`);
  const servers: Server[] = await Promise.all(
    Array.from({ length: replicas }, () =>
      startServer({ env: { DATABASE_URL: url, LOG_LEVEL: 'warn', ...hosts.env } }),
    ),
  );
  for (const server of servers) stack.use(server);
  const loads = servers.map(({ baseUrl }, index) => {
    const own = newTokens.filter((_, n) => n % replicas === index);
    return stack.use(startMixedLoad({ baseUrl, token, newTokens: own, callers: 6 }));
  });

  return {
    primary,
    standby,
    servers,
    hosts,
    /** Waits until every replica has answered a request of each kind well, sent from now on. */
    async untilGood(): Promise<number> {
      const from = performance.now();
      await untilLate(() =>
        loads.every((load) =>
          (['list', 'create'] as const).every((kind) =>
            load.answers.some((it) => it.kind === kind && it.sentAt >= from && isGood(it)),
          ),
        ),
      );
      return Math.round(performance.now() - from);
    },
    /** Ends the load. Every answer was right or a 503, and what was acknowledged is there. */
    async judge(): Promise<void> {
      await Promise.all(loads.map((load) => load.stop()));
      const [first] = servers as [Server];
      // A replica that has used the standby before its promotion closes all connections once more when it
      // learns of the promotion, which may be after its first good answers.
      const there = await listAll(first, token, callUntilServed);
      for (const load of loads) expectRight(load, there);
    },
  };
}

async function asAdmin(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const promote = (url: string) => asAdmin(url, (sql) => sql`select pg_promote()`);

test('the primary is killed, and its standby promoted', async () => {
  const { primary, standby, untilGood, judge } = await startWithStandby();
  await untilGood();
  await primary.kill();
  await promote(standby.adminUrl);
  const goodAfterMs = await untilGood();
  await judge();
  process.stdout.write(
    `${JSON.stringify({ fault: 'primary killed, standby promoted', goodAfterMs })}\n`,
  );
});

test('while only the standby is there, reads go on and creations are 503', async () => {
  const { primary, servers, standby, untilGood, judge } = await startWithStandby();
  await untilGood();
  await primary.kill();
  const [{ opsUrl }] = servers as [Server];
  const reasons = async () =>
    ((await call(`${opsUrl}/readyz`, { token: null })).body as { reasons: string[] }).reasons;
  await untilLate(async () => (await reasons()).includes('The database is read-only.'));
  await promote(standby.adminUrl);
  const goodAfterMs = await untilGood();
  await judge();
  process.stdout.write(
    `${JSON.stringify({ fault: 'read-only standby, then promoted', goodAfterMs })}\n`,
  );
});

/**
 * Refuses writes, and waits for those that had begun: what is acknowledged has reached the standby. Only then
 * goes on without it, or the last ones could be acknowledged, and lost by the promotion.
 */
const demote = (url: string) =>
  asAdmin(url, async (sql) => {
    await sql`alter system set default_transaction_read_only = on`;
    await sql`select pg_reload_conf()`;
    const isReadOnly = async () =>
      (await sql`show default_transaction_read_only`)[0]?.['default_transaction_read_only'] ===
      'on';
    await untilLate(isReadOnly);
    const [{ readOnlySince } = {}] = await sql`select clock_timestamp()::text as "readOnlySince"`;
    await untilLate(async () => {
      const writing = await sql`select from pg_stat_activity
        where application_name = 'animal-store' and xact_start < ${readOnlySince}::timestamptz`;
      return writing.length === 0;
    });
    await sql`alter system set synchronous_standby_names = ''`;
    await sql`select pg_reload_conf()`;
  });

// The connections of the replicas stay open: nothing but a refused write tells them.
test('the primary is demoted with its connections open, and another one takes over', async () => {
  const { primary, standby, untilGood, judge } = await startWithStandby();
  await untilGood();
  await demote(primary.adminUrl);
  await promote(standby.adminUrl);
  const goodAfterMs = await untilGood();
  await judge();
  process.stdout.write(
    `${JSON.stringify({ fault: 'primary demoted with open connections', goodAfterMs })}\n`,
  );
});

test('the name of the database leads to another machine, and the one before is demoted', async () => {
  const { primary, standby, hosts, untilGood, judge } = await startWithStandby((ports) =>
    openMovingName(stack, ports),
  );
  await untilGood();
  await demote(primary.adminUrl);
  await promote(standby.adminUrl);
  hosts.leadTo(1);
  const goodAfterMs = await untilGood();
  await judge();
  process.stdout.write(`${JSON.stringify({ fault: 'the name leads elsewhere', goodAfterMs })}\n`);
});

test.each([
  ['every second', 1_000, 16],
  ['every 150 ms', 150, 27],
] as const)('all connections are killed %s', async (how, pauseMs, times) => {
  const { primary, untilGood, judge } = await startWithStandby();
  await untilGood();
  await asAdmin(primary.adminUrl, async (sql) => {
    for (let i = 0; i < times; i += 1) {
      await sql`select pg_terminate_backend(pid), pg_sleep(0) from pg_stat_activity
        where application_name = 'animal-store'`;
      await sql`select pg_sleep(${pauseMs / 1_000})`;
    }
  });
  const goodAfterMs = await untilGood();
  await judge();
  process.stdout.write(
    `${JSON.stringify({ fault: `connections killed ${how}`, times, goodAfterMs })}\n`,
  );
});
