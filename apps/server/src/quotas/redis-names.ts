import type { KeyAndAccount } from './limited-key.ts';

/** In front of the name of a subject, where Redis keeps its windows. */
export const keyPrefix = 'animal-store';

/**
 * Where Redis keeps the strikes and the ban of a key. With its windows, if the key is its own subject:
 * then a request reads and writes one string. With those of its account otherwise: a script in a Cluster
 * may only use one slot.
 *
 * @param windowsAt where the windows of its subject are.
 */
export function banNameOf(windowsAt: string, { id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? windowsAt : `${windowsAt}:ban:${id}`;
}
