import { defaultBanPolicy } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import type { Quotas } from '@animal-store/quotas';
import { createMemoryQuotas } from '@animal-store/quotas';
import { systemClock } from '@animal-store/runtime';
import { createKeyManagement, type KeyManagement } from '../../src/keys/key-management.ts';

/**
 * Creates the operations on API keys for a test, without a server and its cache of keys. Quota
 * functions that the test does not pass use memory instead of Redis.
 */
export function manageKeys(db: Database, quotas: Partial<Quotas> = {}): KeyManagement {
  const inMemory = createMemoryQuotas({ clock: systemClock, banPolicy: defaultBanPolicy });
  return createKeyManagement(db, () => {}, { ...inMemory, ...quotas });
}
