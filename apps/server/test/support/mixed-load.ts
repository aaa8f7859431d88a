import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReceivedAnswer, send } from './send.ts';

/** Requests of several kinds that keep coming, as from so many clients, until it is stopped. */
export type MixedLoad = AsyncDisposable & {
  readonly answers: readonly LoadAnswer[];
  /** Requests that got no answer: connections that were refused, broke, or stayed silent. */
  readonly failures: readonly string[];
  /** Waits for the answers that are due, and sends no more. */
  stop(): Promise<void>;
};

/** `first use`: a list with a key that the server has not seen. */
export type LoadKind = 'list' | 'create' | 'first use';

export type LoadAnswer = ReceivedAnswer & {
  readonly kind: LoadKind;
  /** By `performance.now()`, as are all times here. */
  readonly sentAt: number;
  readonly endedAt: number;
};

/** What each kind is answered while nothing is wrong. */
export const goodStatus = { list: 200, create: 201, 'first use': 200 } as const;

/** One round of each client. */
const round = ['list', 'create', 'list', 'create', 'list', 'first use'] as const;

/** How long a client waits between an answer and its next request. */
const paceMs = 50;

/**
 * Lets so many clients call one address, each on a connection of its own that it keeps.
 *
 * @param options.newTokens of keys that have not been used: one for each first use. When there are no
 * more, that kind stays out.
 */
export function startMixedLoad(options: {
  baseUrl: string;
  token: string;
  newTokens?: readonly string[];
  callers: number;
}): MixedLoad {
  const { baseUrl, token, callers } = options;
  const newTokens = [...(options.newTokens ?? [])];
  const answers: LoadAnswer[] = [];
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let stopped = false;

  async function ask(kind: LoadKind, key: string): Promise<void> {
    const sentAt = performance.now();
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = '{"name":"Rex","categoryId":1}';
    const sent =
      kind === 'create'
        ? { method: 'POST', target: '/pets', headers, body }
        : { method: 'GET', target: '/pets?limit=2', headers };
    try {
      const answer = await send(baseUrl, sent, agent);
      answers.push({ ...answer, kind, sentAt, endedAt: performance.now() });
    } catch (error) {
      failures.push(`${kind}: ${error}`);
    }
  }

  async function call(): Promise<void> {
    for (let i = 0; !stopped; i += 1) {
      const kind = round[i % round.length] ?? 'list';
      const key = kind === 'first use' ? newTokens.pop() : token;
      if (key !== undefined) await ask(kind, key);
      await pause(paceMs);
    }
  }
  const clients = Array.from({ length: callers }, call);

  async function stop(): Promise<void> {
    stopped = true;
    await Promise.all(clients);
    agent.destroy();
  }
  return { answers, failures, stop, [Symbol.asyncDispose]: stop };
}
