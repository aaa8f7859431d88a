import type {
  AuditEntry,
  LedgerOfKey,
  ListedAccount,
  ListedKey,
  ServiceLedger,
  UsageRow,
} from '@animal-store/contract/admin';
import { type CsvColumns, toCsv } from './offer-csv.ts';

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

/** A page of keys as CSV. */
export const csvOfKeys = (keys: readonly ListedKey[]): string => toCsv(keys, keyColumns);

/** A page of keys and what they were used for lately, as CSV. */
export const csvOfKeysInUse = (keys: readonly ListedKey[]): string =>
  toCsv(keys, { ...keyColumns, ...recentColumns });

/** A page of accounts as CSV. */
export const csvOfAccounts = (accounts: readonly ListedAccount[]): string =>
  toCsv(accounts, {
    account: ({ account }) => account,
    plan: ({ plan }) => plan,
    perMinute: ({ quota }) => quota?.perMinute ?? null,
    perDay: ({ quota }) => quota?.perDay ?? null,
    suspendedAt: ({ suspension }) => suspension?.at ?? null,
    suspensionReason: ({ suspension }) => suspension?.reason ?? null,
    keys: ({ keys }) => keys,
    requestsToday: ({ requestsToday }) => requestsToday,
  });

/** A page of the audit log as CSV. What was before and after is JSON. */
export const csvOfEntries = (entries: readonly AuditEntry[]): string =>
  toCsv(entries, {
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

const usageColumns: CsvColumns<UsageRow> = {
  at: ({ at }) => at,
  operation: ({ operation }) => operation,
  outcome: ({ outcome }) => outcome,
  requests: ({ requests }) => requests,
};

/** What a key has used as CSV. */
export const csvOfKeyUsage = ({ keyId, rows }: LedgerOfKey): string =>
  toCsv(rows, { keyId: () => keyId, ...usageColumns });

/** What all keys have used as CSV, or the busiest of them. */
export function csvOfUsage({ keys, rows }: ServiceLedger): string {
  if (keys === undefined) return toCsv(rows, usageColumns);
  const known = new Map(keys.map((key) => [key.keyId, key]));
  const keyOf = ({ keyId = '' }: (typeof rows)[number]) => known.get(keyId);
  return toCsv(rows, {
    keyId: ({ keyId = '' }) => keyId,
    name: (row) => keyOf(row)?.name ?? null,
    account: (row) => keyOf(row)?.account ?? null,
    plan: (row) => keyOf(row)?.plan ?? null,
    ...usageColumns,
  });
}
