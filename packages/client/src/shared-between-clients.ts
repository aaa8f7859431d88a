import { createFindGate, type FindGate } from './shared-quota-gates.ts';

/** What all clients of a process share, also those of another copy of this package. */
interface Shared {
  /** The gates of all API keys. */
  findGate: FindGate;
  /** Operations that the process was warned of. */
  warned: Set<string>;
}

/** Raise the number if `Shared` or `QuotaGate` changes: the first copy creates it for all. */
const key = Symbol.for('@animal-store/client/shared/3');

/** Finds it, or creates it. */
export function findShared(): Shared {
  const globals = globalThis as { [key]?: Shared };
  globals[key] ??= { findGate: createFindGate(), warned: new Set() };
  return globals[key];
}
