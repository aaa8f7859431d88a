import { Agent } from 'node:http';
import type { Pet } from '@animal-store/contract';
import { expect } from 'vitest';
import { type Load, startLoad } from './load.ts';
import { type Answer, send } from './send.ts';

/**
 * The status of each kind of request while nothing fails. `first use` is a `GET /pets` with an API
 * key that the server has not cached.
 */
const goodStatus = { list: 200, create: 201, 'first use': 200 } as const;

export type LoadAnswer = Answer & {
  readonly kind: keyof typeof goodStatus;
  /** The time when the request was sent, by `performance.now()`. */
  readonly sentAt: number;
};

export const isGood = ({ kind, status }: LoadAnswer) => status === goodStatus[kind];

/**
 * Expects that every response of a load was correct, or a 503 with `Retry-After`. Every animal
 * whose creation was acknowledged must exist.
 */
export function expectCorrectResponses(
  { answers, failures }: Load<LoadAnswer>,
  there: ReadonlyMap<number, Pet>,
): void {
  expect(failures).toEqual([]);
  for (const answer of answers) {
    const { status, headers, text } = answer;
    if (!isGood(answer)) {
      const retryAfter = headers.get('Retry-After');
      expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' });
    } else if (status === 201) expect(there.get(JSON.parse(text).id)).toEqual(JSON.parse(text));
  }
}

/**
 * Starts clients that send requests of several kinds alternately, each client on its own
 * connection.
 *
 * @param unused the tokens of API keys that were never used, one for each request of the kind
 * `first use`. When no token is left, a list is sent instead.
 */
export function startMixedLoad(
  baseUrl: string,
  token: string,
  unused: readonly string[],
): Load<LoadAnswer> {
  const newTokens = [...unused];
  const agent = new Agent({ keepAlive: true });

  async function ask(round: number): Promise<LoadAnswer> {
    const newToken = round % 6 === 5 ? newTokens.pop() : undefined;
    const kind = newToken ? 'first use' : round % 2 === 0 ? 'list' : 'create';
    const sentAt = performance.now();
    const Authorization = `Bearer ${newToken ?? token}`;
    const headers = { Authorization, 'Content-Type': 'application/json' };
    const request =
      kind === 'create'
        ? { method: 'POST', target: '/pets', headers, body: '{"name":"Rex","categoryId":1}' }
        : { method: 'GET', target: '/pets?limit=2', headers };
    const answer = await send(baseUrl, request, agent);
    // The request has failed, so the server has not cached its API key. The key is used again for a
    // later request. Otherwise, a long outage would use up all unused keys.
    if (newToken && answer.status !== goodStatus[kind]) newTokens.unshift(newToken);
    return { ...answer, kind, sentAt };
  }
  const load = startLoad({ callers: 6, pauseMs: 20, ask });

  async function stop(): Promise<void> {
    await load.stop();
    agent.destroy();
  }
  return { ...load, stop, [Symbol.asyncDispose]: stop };
}
