import { createQuotaGate, type QuotaGate } from './quota-gate.ts';

/** Finds the gate of an API key at an address, or creates it. */
export type FindGate = (baseUrl: string, apiKey: string) => QuotaGate;

/**
 * Creates the registry of gates. The keys are in a closure, where nothing that inspects the global
 * object finds them.
 *
 * @param max how many gates are kept. The least recently used ones are evicted. The number is
 *   larger than a process has keys, and small enough not to be a leak.
 */
export function createFindGate(max = 10_000): FindGate {
  const gates = new Map<string, QuotaGate>();

  return (baseUrl, apiKey) => {
    const name = `${baseUrl} ${apiKey}`;
    const gate = gates.get(name) ?? createQuotaGate();
    // A map keeps the order of insertion, so the first entry is the least recently used one.
    gates.delete(name);
    gates.set(name, gate);
    const [oldest = name] = gates.keys();
    if (gates.size > max) gates.delete(oldest);
    return gate;
  };
}
