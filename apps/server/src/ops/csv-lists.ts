import type { AuditEntry, ListedAccount, ListedKey } from '@animal-store/contract/admin';
import { type CsvColumns, type CsvTable, tableOf } from './offer-csv.ts';

const keyColumns: CsvColumns<ListedKey> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  account: ({ account }) => account,
  plan: ({ plan }) => plan,
  perMinute: ({ quota }) => quota.perMinute,
  perDay: ({ quota }) => quota.perDay,
  scopes: ({ scopes }) => scopes.join(' '),
  state: ({ state }) => state,
  bannedUntil: ({ bannedUntil }) => bannedUntil,
  suspendedAt: ({ suspension }) => suspension?.at ?? null,
  suspensionReason: ({ suspension }) => suspension?.reason ?? null,
  accountSuspendedAt: ({ accountSuspension }) => accountSuspension?.at ?? null,
  accountSuspensionReason: ({ accountSuspension }) => accountSuspension?.reason ?? null,
  createdAt: ({ createdAt }) => createdAt,
  expiresAt: ({ expiresAt }) => expiresAt,
  revokedAt: ({ revokedAt }) => revokedAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  tokens: ({ tokens }) => tokens.map(({ prefix }) => prefix).join(' '),
};

const recentColumns: CsvColumns<ListedKey> = {
  requestsIn24Hours: ({ recent }) => recent?.byHour.reduce((sum, count) => sum + count, 0) ?? 0,
  deprecatedCallsIn30Days: ({ recent }) => recent?.deprecatedCalls ?? 0,
};

/** A page of keys as a table. */
export const tableOfKeys = (keys: readonly ListedKey[]): CsvTable => tableOf(keys, keyColumns);

/** A page of keys and what they were used for lately, as a table. */
export const tableOfKeysInUse = (keys: readonly ListedKey[]): CsvTable =>
  tableOf(keys, { ...keyColumns, ...recentColumns });

/** A page of accounts as a table. */
export const tableOfAccounts = (accounts: readonly ListedAccount[]): CsvTable =>
  tableOf(accounts, {
    account: ({ account }) => account,
    plan: ({ plan }) => plan,
    perMinute: ({ quota }) => quota?.perMinute ?? null,
    perDay: ({ quota }) => quota?.perDay ?? null,
    suspendedAt: ({ suspension }) => suspension?.at ?? null,
    suspensionReason: ({ suspension }) => suspension?.reason ?? null,
    keys: ({ keys }) => keys,
    requestsToday: ({ requestsToday }) => requestsToday,
  });

/** A page of the audit log as a table. What was before and after is JSON. */
export const tableOfEntries = (entries: readonly AuditEntry[]): CsvTable =>
  tableOf(entries, {
    id: ({ id }) => id,
    at: ({ at }) => at,
    actorType: ({ actor }) => actor.type,
    actorId: ({ actor }) => actor.id,
    actorName: ({ actor }) => actor.name,
    action: ({ action }) => action,
    subjectType: ({ subject }) => subject.type,
    subjectId: ({ subject }) => subject.id,
    subjectName: ({ subject }) => subject.name,
    account: ({ subject }) => subject.account,
    before: ({ before }) => JSON.stringify(before),
    after: ({ after }) => JSON.stringify(after),
    requestId: ({ requestId }) => requestId,
    reason: ({ reason }) => reason,
  });
