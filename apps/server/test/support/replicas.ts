import { Agent } from 'node:http';
import type { Quota } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from './databases.ts';
import { leftOf, rateLimitOf } from './expectations.ts';
import { type AnyServer, type LocalOptions, openLocalServer } from './local-server.ts';
import { send } from './send.ts';

/** Several servers on one database, as behind a load balancer. */
export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** What a test of quotas looks at. */
export type Reply = Awaited<ReturnType<typeof ask>>;

/**
 * Starts a service for each of some options, all at the same time, in this process. Their metrics of Redis
 * commands and statements are those of all, because they share its diagnostics channels.
 *
 * @param options one a replica. Clocks are those of the machine, unless others are given.
 */
export async function startReplicas(options: readonly LocalOptions[]) {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase('postgres'));

  // Not a line for each of many requests, which nobody here reads.
  const observability = { logLevel: 'warn' } as const;
  const starts = options.map((own) =>
    openLocalServer(database.env, { clock: systemClock, observability, ...own }),
  );
  // Also those that come up after another one has failed.
  opened.defer(async () => {
    for (const start of await Promise.allSettled(starts))
      if (start.status === 'fulfilled') await start.value[Symbol.asyncDispose]();
  });
  const servers = await Promise.all(starts);

  // Enough to be many at once, and not a connection for each of 5,000 requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  opened.defer(() => agent.destroy());

  const kept = opened.move();
  return {
    servers,
    /** Stops one, for good. */
    async stop(index: number): Promise<void> {
      const [old] = servers.splice(index, 1);
      await old?.[Symbol.asyncDispose]();
    },
    /** Makes a key of a plan, or with numbers of its own, and gives its token. */
    async createToken(plan: 'free' | Quota): Promise<string> {
      const own = plan === 'free' ? { plan } : ({ plan: 'enterprise', quota: plan } as const);
      return (await createApiKey(database.db, { name: 'of a test', ...own })).token;
    },
    /** Sends one request and reads its answer to the end. */
    ask: (server: AnyServer, token: string) => ask(agent, server, token),
    /** Sends so many requests at once, with the tokens in turn, each to any replica. */
    askAtOnce: (times: number, ...tokens: readonly string[]) =>
      Promise.all(
        Array.from({ length: times }, (_, i) =>
          ask(agent, randomOf(servers), tokens[i % tokens.length] ?? ''),
        ),
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Waits for Redis: a start may be over before all nodes are connected. */
export async function untilRedisDecides({ servers }: Pick<Replicas, 'servers'>): Promise<void> {
  const lastSaid = (output: string) =>
    output.match(/Redis is (unavailable|available again)/g)?.at(-1);
  await until(() => servers.every(({ output }) => lastSaid(output()) !== 'Redis is unavailable'));
}

/** One of them, as a load balancer would pick. */
export function randomOf<T>(list: readonly T[]): T {
  const picked = list[Math.floor(Math.random() * list.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from.');
  return picked;
}

async function ask(agent: Agent, { baseUrl }: AnyServer, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await send(baseUrl, { method: 'GET', target: '/pets?limit=1', headers }, agent);
  return {
    status: answer.status,
    ...rateLimitOf(answer),
    /** In seconds; not a number where there is none. */
    retryAfter: Number(answer.headers.get('Retry-After') ?? Number.NaN),
    leftOfMinute: leftOf(answer, 'minute'),
    /** Of an error. */
    code: (answer.body as { code?: string }).code,
  };
}
