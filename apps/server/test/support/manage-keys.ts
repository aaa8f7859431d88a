import { defaultBanPolicy } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import type { Database } from '../../src/database/database.ts';
import { createKeyManagement, type KeyManagement } from '../../src/keys/key-management.ts';
import type { KeyQuotas } from '../../src/quotas/key-quotas.ts';
import { createMemoryKeyQuotas } from '../../src/quotas/open-quotas.ts';

/** Manages keys without a server: nobody caches them, and what replaces no quotas is in memory. */
export function manageKeys(db: Database, quotas: Partial<KeyQuotas> = {}): KeyManagement {
  const inMemory = createMemoryKeyQuotas({ clock: systemClock, banPolicy: defaultBanPolicy });
  return createKeyManagement(db, () => {}, { ...inMemory, ...quotas });
}
