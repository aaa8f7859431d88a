import type { Overview } from '@animal-store/contract/admin';
import { ConnectionFailure } from './failures.ts';

/** What the service says of its readiness. */
type Health = Overview['readiness'];

/** Asks the service whether it is ready. Its answer is the same whether or not it is. */
export async function readHealth(signal: AbortSignal): Promise<Health> {
  try {
    const response = await fetch('/readyz', { signal });
    return await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConnectionFailure({ cause });
  }
}
