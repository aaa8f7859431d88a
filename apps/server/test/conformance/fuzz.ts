import { parseJson } from '@animal-store/contract';
import fc from 'fast-check';
import { send } from '../support/send.ts';
import { judge } from './judge.ts';
import { operationsOf } from './open-api.ts';
import { trials } from './requests.ts';

/**
 * Sends requests that are made from the service's own document, and holds every answer against it.
 *
 * @param options.baseUrl the service's base address, ending in `/v1`.
 * @param options.apiKey a key whose quota is never in the way.
 * @returns how many requests of each kind were answered by each status.
 * @throws with the smallest request that gets an answer which it does not deserve.
 */
export async function fuzz(options: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: number;
  readonly seed: number;
}): Promise<Record<string, number>> {
  const { baseUrl, apiKey, requests: numRuns, seed } = options;
  const response = await fetch(new URL('/openapi.json', baseUrl));
  const operations = operationsOf(parseJson(await response.text()));
  const counts: Record<string, number> = {};
  const property = fc.asyncProperty(trials(operations, apiKey), async (trial) => {
    const { kind, operation, sent, deserves } = trial;
    const answer = await send(baseUrl, sent);
    const name = `${operation.operationId}, ${kind}: ${answer.status}`;
    counts[name] = (counts[name] ?? 0) + 1;
    const problems = judge(operation, sent.method, answer);
    if (!deserves(answer)) problems.push(`a ${kind} request got ${answer.status}: ${answer.text}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  await fc.assert(property, { numRuns, seed });
  return counts;
}
