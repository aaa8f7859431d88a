import { parseJson } from '@animal-store/contract';
import fc from 'fast-check';
import { send } from '../support/send.ts';
import { judge } from './judge.ts';
import { operationsOf } from './open-api.ts';
import { shown, trials } from './requests.ts';

export type FuzzOptions = {
  /** The service's base address, ending in `/v1`. */
  readonly baseUrl: string;
  /** A key whose quota is never in the way. */
  readonly apiKey: string;
  readonly requests: number;
  readonly seed?: number;
};

/**
 * Sends requests that are made from the service's own document, and holds every answer against it.
 *
 * @returns how many requests of each kind were answered by each status.
 * @throws with the smallest request that gets an answer which it does not deserve.
 */
export async function fuzz({ baseUrl, apiKey, requests, seed }: FuzzOptions) {
  const response = await fetch(new URL('/openapi.json', baseUrl));
  const operations = operationsOf(parseJson(await response.text()));
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(
      trials(operations, apiKey).map(shown),
      async ({ kind, operation, sent, deserves }) => {
        const answer = await send(baseUrl, sent);
        const name = `${operation.operationId}, ${kind}: ${answer.status}`;
        counts[name] = (counts[name] ?? 0) + 1;
        const problems = judge(operation, sent.method, answer);
        if (!deserves(answer))
          problems.push(`a ${kind} request got ${answer.status}: ${answer.text}`);
        if (problems.length > 0) throw new Error(problems.join('\n'));
      },
    ),
    { numRuns: requests, ...(seed !== undefined && { seed }) },
  );
  return counts;
}
