import { createFindGate, type FindGate } from './shared-quota-gates.ts';

/**
 * The state that all clients of a process share, including clients of another copy of this package.
 */
interface Shared {
  /** The gates of all API keys. */
  findGate: FindGate;
  /** The operations about which the process was warned. */
  warned: Set<string>;
}

/**
 * Increase this number if `Shared` or `QuotaGate` changes, because the first copy creates the state
 * for all.
 */
const key = Symbol.for('@animal-store/client/shared/3');

/** Finds the shared state, or creates it. */
export function findShared(): Shared {
  const globals = globalThis as { [key]?: Shared };
  globals[key] ??= { findGate: createFindGate(), warned: new Set() };
  return globals[key];
}
