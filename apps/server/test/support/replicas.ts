import { Agent } from 'node:http';
import type { Quota } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { createApiKey } from '../../src/keys/create-key.ts';
import { createDatabase } from './databases.ts';
import { leftOf, rateLimitOf } from './expectations.ts';
import { type AnyServer, type LocalOptions, openLocalServer } from './local-server.ts';
import { send } from './send.ts';

/** Several servers that use one database, as behind a load balancer. */
export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** The properties of a response that tests of quotas check. */
export type Reply = Awaited<ReturnType<typeof ask>>;

/**
 * Starts one service for each of the options, all at the same time, in this process. The services
 * share the diagnostics channels of the process. So the metrics of each service count the Redis
 * commands and SQL statements of all services.
 *
 * @param options the options of each replica. By default, replicas use the clock of the machine.
 */
export async function startReplicas(options: readonly LocalOptions[]) {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase('postgres'));

  // Requests are not logged, because the tests send many requests and do not read these log lines.
  const observability = { logLevel: 'warn' } as const;
  const starts = options.map((own) =>
    openLocalServer(database.env, { clock: systemClock, observability, ...own }),
  );
  // If one service fails to start, all services that have started are closed.
  opened.defer(async () => {
    for (const start of await Promise.allSettled(starts))
      if (start.status === 'fulfilled') await start.value[Symbol.asyncDispose]();
  });
  const servers = await Promise.all(starts);

  // The agent opens at most 200 connections. Otherwise 5,000 requests at the same time would open
  // 5,000 connections.
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  opened.defer(() => agent.destroy());

  const kept = opened.move();
  return {
    servers,
    /** Stops one replica permanently. */
    async stop(index: number): Promise<void> {
      const [old] = servers.splice(index, 1);
      await old?.[Symbol.asyncDispose]();
    },
    /** Creates an API key with a plan or with its own quota, and returns its token. */
    async createToken(plan: 'free' | Quota): Promise<string> {
      const own = plan === 'free' ? { plan } : ({ plan: 'enterprise', quota: plan } as const);
      return (await createApiKey(database.db, { name: 'of a test', ...own })).token;
    },
    /** Sends one request and reads the whole response. */
    ask: (server: AnyServer, token: string) => ask(agent, server, token),
    /**
     * Sends several requests at the same time, each to a random replica. If there are several
     * tokens, the requests use them in turn.
     */
    askAtOnce: (times: number, ...tokens: readonly string[]) =>
      Promise.all(
        Array.from({ length: times }, (_, i) =>
          ask(agent, randomOf(servers), tokens[i % tokens.length] ?? ''),
        ),
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Waits until Redis makes the quota decisions. A service may finish its start before it is
 * connected to all Redis nodes.
 */
export async function untilRedisDecides({ servers }: Pick<Replicas, 'servers'>): Promise<void> {
  const lastSaid = (output: string) =>
    output.match(/Redis is (unavailable|available again)/g)?.at(-1);
  await until(() => servers.every(({ output }) => lastSaid(output()) !== 'Redis is unavailable'));
}

/** Returns a random item of a list, as a load balancer picks a replica. */
export function randomOf<T>(list: readonly T[]): T {
  const picked = list[Math.floor(Math.random() * list.length)];
  if (picked === undefined) throw new Error('The list is empty.');
  return picked;
}

async function ask(agent: Agent, { baseUrl }: AnyServer, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await send(baseUrl, { method: 'GET', target: '/pets?limit=1', headers }, agent);
  return {
    status: answer.status,
    ...rateLimitOf(answer),
    /** The seconds to wait before a retry; NaN if the header is missing. */
    retryAfter: Number(answer.headers.get('Retry-After') ?? Number.NaN),
    leftOfMinute: leftOf(answer, 'minute'),
    /** The error code in the body; `undefined` if the response is not an error. */
    code: (answer.body as { code?: string }).code,
  };
}
