import { createFindGate, type FindGate } from './shared-quota-gates.ts';

/**
 * The state that all clients of a process share, even if the process has loaded several copies of
 * this package.
 */
interface Shared {
  /**
   * Finds or creates the quota gate of an API key. The gate delays calls while the quota of the key is
   * used up.
   */
  findGate: FindGate;
  /** The names of the deprecated operations for which the process has printed a warning. */
  warned: Set<string>;
}

/**
 * The name of the shared state. Increase the number at its end whenever `Shared` or `QuotaGate`
 * changes, because the copy that is loaded first creates the state for all copies.
 */
const key = Symbol.for('@animal-store/client/shared/3');

/** Returns the shared state of the process, and creates it at the first call. */
export function findShared(): Shared {
  const globals = globalThis as { [key]?: Shared };
  globals[key] ??= { findGate: createFindGate(), warned: new Set() };
  return globals[key];
}
