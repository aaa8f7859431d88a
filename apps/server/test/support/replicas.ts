import { Agent } from 'node:http';
import type { Quota } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { until } from '@animal-store/testkit';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase } from './databases.ts';
import { leftOf, rateLimitOf } from './expectations.ts';
import { type AnyServer, type LocalOptions, openLocalServer } from './local-server.ts';
import { send } from './send.ts';

/** Several servers with one database, as behind a load balancer. */
export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** The parts of a response that tests of quotas check. */
export type Reply = Awaited<ReturnType<typeof ask>>;

/**
 * Starts a service for each of the options, all at the same time, in this process. Their metrics of
 * Redis commands and statements include all services, because they share diagnostics channels.
 *
 * @param options the options of each replica. They use the clock of the machine, unless others
 * are given.
 */
export async function startReplicas(options: readonly LocalOptions[]) {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase('postgres'));

  // The log has no lines for the many requests, because the tests do not read them.
  const observability = { logLevel: 'warn' } as const;
  const starts = options.map((own) =>
    openLocalServer(database.env, { clock: systemClock, observability, ...own }),
  );
  // Services that start after another one has failed are closed, too.
  opened.defer(async () => {
    for (const start of await Promise.allSettled(starts))
      if (start.status === 'fulfilled') await start.value[Symbol.asyncDispose]();
  });
  const servers = await Promise.all(starts);

  // The agent allows many concurrent requests, but not a connection for each of 5,000.
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
    /** Creates a key with a plan or with its own quota, and returns its token. */
    async createToken(plan: 'free' | Quota): Promise<string> {
      const own = plan === 'free' ? { plan } : ({ plan: 'enterprise', quota: plan } as const);
      return (await createApiKey(database.db, { name: 'of a test', ...own })).token;
    },
    /** Sends one request and reads the whole response. */
    ask: (server: AnyServer, token: string) => ask(agent, server, token),
    /**
     * Sends several requests at the same time, with the tokens in turn, each to a random replica.
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

/** Waits until Redis decides, because a start may end before all nodes are connected. */
export async function untilRedisDecides({ servers }: Pick<Replicas, 'servers'>): Promise<void> {
  const lastSaid = (output: string) =>
    output.match(/Redis is (unavailable|available again)/g)?.at(-1);
  await until(() => servers.every(({ output }) => lastSaid(output()) !== 'Redis is unavailable'));
}

/** Returns a random item, as a load balancer would pick. */
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
    /** The seconds to wait; NaN without the header. */
    retryAfter: Number(answer.headers.get('Retry-After') ?? Number.NaN),
    leftOfMinute: leftOf(answer, 'minute'),
    /** The code of an error. */
    code: (answer.body as { code?: string }).code,
  };
}
