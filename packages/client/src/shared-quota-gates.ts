import { createQuotaGate, type QuotaGate } from './quota-gate.ts';

/**
 * A function that returns the quota gate of an API key for a base URL, and creates the gate at the
 * first call.
 */
export type FindGate = (baseUrl: string, apiKey: string) => QuotaGate;

/**
 * Creates the registry of quota gates. The API keys are in a closure, so that an inspection of the
 * global object does not show them.
 *
 * @param max the maximum number of gates. The least recently used gate is evicted. The default is
 *   more than the number of keys in any process, and small enough not to be a memory leak.
 */
export function createFindGate(max = 10_000): FindGate {
  const gates = new Map<string, QuotaGate>();

  return (baseUrl, apiKey) => {
    const name = `${baseUrl} ${apiKey}`;
    const gate = gates.get(name) ?? createQuotaGate();
    // A map keeps the order of insertion. After each use, the entry moves to the end, so the first
    // entry is the least recently used one.
    gates.delete(name);
    gates.set(name, gate);
    const [oldest = name] = gates.keys();
    if (gates.size > max) gates.delete(oldest);
    return gate;
  };
}
