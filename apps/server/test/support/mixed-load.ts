import { Agent } from 'node:http';
import { type Load, startLoad } from './load.ts';
import { type Answer, send } from './send.ts';

/** `first use`: a list with a key that the server has not seen. */
type LoadKind = 'list' | 'create' | 'first use';

export type LoadAnswer = Answer & {
  readonly kind: LoadKind;
  /** By `performance.now()`. */
  readonly sentAt: number;
};

/** The status of each kind while nothing is wrong. */
export const goodStatus = { list: 200, create: 201, 'first use': 200 } as const;

/** The requests of each client, in turn. */
const kinds = ['list', 'create', 'list', 'create', 'list', 'first use'] as const;

/**
 * Starts clients that send requests of several kinds, each on its own connection.
 *
 * @param options.newTokens tokens of unused keys, one for each first use. After the last one, a list
 * takes its place.
 */
export function startMixedLoad(options: {
  baseUrl: string;
  token: string;
  newTokens?: readonly string[];
  callers: number;
}): Load<LoadAnswer> {
  const { baseUrl, token, callers } = options;
  const newTokens = [...(options.newTokens ?? [])];
  const agent = new Agent({ keepAlive: true });

  async function ask(round: number): Promise<LoadAnswer> {
    const newToken = kinds[round % kinds.length] === 'first use' ? newTokens.pop() : undefined;
    const kind = newToken ? 'first use' : round % 2 === 0 ? 'list' : 'create';
    const sentAt = performance.now();
    const answer = await send(baseUrl, requestOf(kind, newToken ?? token), agent);
    // Still unknown to the server: a long outage must not use up all of them.
    if (newToken && answer.status !== goodStatus[kind]) newTokens.unshift(newToken);
    return { ...answer, kind, sentAt };
  }
  const load = startLoad({ callers, pauseMs: 100, ask });

  async function stop(): Promise<void> {
    await load.stop();
    agent.destroy();
  }
  return { ...load, stop, [Symbol.asyncDispose]: stop };
}

function requestOf(kind: LoadKind, token: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return kind === 'create'
    ? { method: 'POST', target: '/pets', headers, body: '{"name":"Rex","categoryId":1}' }
    : { method: 'GET', target: '/pets?limit=2', headers };
}
