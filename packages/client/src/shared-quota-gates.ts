import { createQuotaGate, type QuotaGate } from './quota-gate.ts';

/** How many keys are remembered: more than a process has, and few enough not to be a leak. */
const maxGates = 10_000;

/** Raise the number if `QuotaGate` changes: the first copy of this package creates it for all. */
const findGateKey = Symbol.for('@animal-store/client/quota-gates/1');

type FindGate = (baseUrl: string, apiKey: string) => QuotaGate;

/**
 * Finds the gate of an API key, which all clients of the process share, also those of another copy of
 * this package, such as its CommonJS half. The keys are kept in a closure, where nothing that
 * inspects the global object finds them.
 */
export function findQuotaGate(baseUrl: string, apiKey: string): QuotaGate {
  const globals = globalThis as { [findGateKey]?: FindGate };
  globals[findGateKey] ??= createFindGate(maxGates);
  return globals[findGateKey](baseUrl, apiKey);
}

/** Creates a registry of the `max` gates that were used last. */
export function createFindGate(max: number): FindGate {
  const gates = new Map<string, QuotaGate>();

  return (baseUrl, apiKey) => {
    const name = `${baseUrl} ${apiKey}`;
    const gate = gates.get(name) ?? createQuotaGate();
    // A map keeps the order of insertion, so the first is the one that was unused for longest.
    gates.delete(name);
    gates.set(name, gate);
    const [oldest = name] = gates.keys();
    if (gates.size > max) gates.delete(oldest);
    return gate;
  };
}
