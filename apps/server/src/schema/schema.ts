import { type AuditState, auditActions, auditActorTypes } from '@animal-store/admin-contract';
import {
  type Int64,
  maxPetId,
  nameLength,
  normalizeInt64,
  PetStatus,
  planNames,
  scopeNames,
} from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/**
 * An exact `bigint` column. Small values are read as a `number`, and others as a `bigint`.
 * drizzle's own modes either lose digits or read every value as a `bigint`.
 */
const int64 = customType<{ data: Int64; driverData: string | number | bigint }>({
  dataType: () => 'bigint',
  toDriver: (value) => String(value),
  // A text of up to fifteen digits is exact as a `number`, so `Number` converts it quickly. Nearly
  // all values are that short.
  fromDriver: (value) =>
    typeof value === 'string' && value.length <= 15 ? Number(value) : normalizeInt64(BigInt(value)),
});

/**
 * A column with a time. The service reads and writes times as ISO 8601 in UTC, like the contract.
 */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  fromDriver: (text) => new Date(text).toISOString(),
});

export const petStatus = pgEnum('pet_status', PetStatus.enum);

/**
 * The sequence of animal ids. The name is a constant, because looking it up in the database would
 * take as long as inserting an animal.
 */
export const petIdSequence = sql.raw("'pets_id_seq'");

/** The animals of the catalogue. */
export const pets = pgTable(
  'pets',
  {
    // The limit of the sequence guarantees that every id is an exact JavaScript `number`.
    id: bigint({ mode: 'number' })
      .primaryKey()
      .generatedByDefaultAsIdentity({ name: 'pets_id_seq', minValue: 1, maxValue: maxPetId }),
    name: text().notNull(),
    categoryId: int64('category_id').notNull(),
    status: petStatus().notNull().default('available'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (pet) => [
    // The index for pages of animals with one status, sorted by id.
    index('pets_status_id').on(pet.status, pet.id),
    // The index for pages of animals with one category and status, sorted by id. Pages of a whole
    // category are merged from the pages of its statuses. Merging is cheaper than another index
    // that each insert must update.
    index('pets_category_status_id').on(pet.categoryId, pet.status, pet.id),
    check(
      'pets_name_length',
      sql`char_length(${pet.name}) between ${sql.raw(String(nameLength.min))} and ${sql.raw(String(nameLength.max))}`,
    ),
  ],
);

/** Returns the columns that a table needs if its rows can be suspended. */
const suspension = () => ({
  suspendedAt: instant('suspended_at'),
  /** The reason for the suspension, as the operator gave it; `null` if there is none. */
  suspensionReason: text('suspension_reason'),
});

export const planName = pgEnum('plan_name', planNames);

/** The scopes of an API key: its permissions. */
export const keyScope = pgEnum('key_scope', scopeNames);

/**
 * Returns the check constraint that Enterprise rows have a quota of their own and other rows have
 * none.
 */
function checkQuota(
  name: string,
  columns: { plan: AnyPgColumn; perMinute: AnyPgColumn; perDay: AnyPgColumn },
) {
  return check(
    name,
    sql`case when ${columns.plan} = 'enterprise' then ${columns.perMinute} > 0 and ${columns.perDay} > 0 and ${columns.perMinute} is not null and ${columns.perDay} is not null else ${columns.perMinute} is null and ${columns.perDay} is null end`,
  );
}

/** API keys with their plans and, for Enterprise keys, their own quotas. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The purpose of the API key, as the operator entered it. */
    name: text(),
    /** The name of the account, which operators choose, such as a customer number. */
    account: text(),
    plan: planName().notNull(),
    /** The limit of requests per minute, only for Enterprise API keys. */
    perMinute: integer('per_minute'),
    /** The limit of requests per day, only for Enterprise API keys. */
    perDay: integer('per_day'),
    scopes: keyScope()
      .array()
      .notNull()
      .default([...scopeNames]),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    ...suspension(),
  },
  (key) => [
    // Each sort order of the list of API keys has an index. For filters without an index, Postgres
    // reads the rows: see `key-search.ts`.
    index('api_keys_created_at').on(key.createdAt, key.id),
    index('api_keys_plan').on(key.plan, key.createdAt, key.id),
    index('api_keys_account')
      .on(key.account, key.createdAt, key.id)
      .where(sql`${key.account} is not null`),
    // With this index, Postgres counts the active API keys of an account without reading the table.
    index('api_keys_active_of_account')
      .on(key.account, key.expiresAt)
      .where(sql`${key.revokedAt} is null and ${key.account} is not null`),
    // The index also contains API keys without a name, because a list sorted by name includes them.
    index('api_keys_sorted_name').on(sql`coalesce(lower(${key.name}) collate "C", '')`, key.id),
    // Most API keys never expire and are not in this index, so the index is small.
    index('api_keys_expires_at')
      .on(key.expiresAt, key.id)
      .where(sql`${key.expiresAt} is not null and ${key.revokedAt} is null`),
    // With this index, Postgres finds the smallest limit of any Enterprise key without reading the
    // table.
    index('api_keys_own_per_day').on(key.perDay).where(sql`${key.plan} = 'enterprise'`),
    check('api_keys_scopes', sql`cardinality(${key.scopes}) > 0`),
    checkQuota('api_keys_quota', key),
  ],
);

/**
 * The accounts that API keys have or had, with the plans and suspensions that operators have set. A
 * trigger inserts a row when the first API key gets the account: see `0012_list_accounts.sql`.
 *
 * The row is never deleted, because Redis stores the request counts of the account under the id of
 * the row. So removing a plan and adding it again does not reset the quota.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The name of the account. API keys refer to it in their column `account`. */
    name: text().notNull(),
    /**
     * The plan whose limits the API keys of the account share; `null` if the account is only a
     * label.
     */
    plan: planName(),
    /** The limit of requests per minute, only with the Enterprise plan. */
    perMinute: integer('per_minute'),
    /** The limit of requests per day, only with the Enterprise plan. */
    perDay: integer('per_day'),
    ...suspension(),
  },
  (account) => [
    uniqueIndex('accounts_name').on(account.name),
    index('accounts_plan').on(account.plan, account.name).where(sql`${account.plan} is not null`),
    index('accounts_suspended').on(account.name).where(sql`${account.suspendedAt} is not null`),
    index('accounts_any_case').on(sql`lower(${account.name})`),
    // The index has the sort order of the list of accounts: see `account-search.ts`.
    index('accounts_naturally').on(
      sql`rtrim(${account.name}, '0123456789')`,
      sql`length(${account.name})`,
      account.name,
    ),
    checkQuota('accounts_quota', account),
  ],
);

/**
 * Creates the table for the tokens of API keys or of operators. During the grace period of a
 * rotation, an API key or an operator has several tokens.
 */
function tokenTable(
  name: string,
  holder: string,
  options: { references: () => AnyPgColumn; isSearchedByPrefix: boolean },
) {
  return pgTable(
    name,
    {
      /** The SHA-256 hash of the token, in hexadecimal. The token itself is not stored. */
      hash: text().primaryKey(),
      holderId: uuid(holder).notNull().references(options.references),
      /** The first characters of the token, by which people recognize it. */
      prefix: text().notNull(),
      createdAt: instant('created_at').notNull().default(sql`now()`),
      expiresAt: instant('expires_at'),
    },
    (token) => [
      index(`${name}_${holder}`).on(token.holderId),
      ...(options.isSearchedByPrefix ? [index(`${name}_prefix`).on(token.prefix)] : []),
    ],
  );
}

export const apiTokens = tokenTable('api_tokens', 'key_id', {
  references: () => apiKeys.id,
  // The index on prefixes is needed when somebody has found a token and an operator searches for
  // its API key.
  isSearchedByPrefix: true,
});

export const operatorRole = pgEnum('operator_role', ['viewer', 'operator', 'owner']);

/** A person or a program that may use the admin API. */
export const operators = pgTable('operators', {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull(),
  role: operatorRole().notNull(),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
});

export const operatorTokens = tokenTable('operator_tokens', 'operator_id', {
  references: () => operators.id,
  isSearchedByPrefix: false,
});

export const auditAction = pgEnum('audit_action', auditActions);
export const auditActorType = pgEnum('audit_actor_type', auditActorTypes);
export const auditSubjectType = pgEnum('audit_subject_type', ['key', 'operator', 'account']);

/**
 * The audit log. Triggers refuse changes of an entry, and refuse to delete an entry before its
 * retention period ends: see `0005_add_audit_log.sql`.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' })
      .primaryKey()
      .generatedAlwaysAsIdentity({ minValue: 1, maxValue: maxPetId }),
    at: instant().notNull(),
    actorType: auditActorType('actor_type').notNull(),
    /** The id of the operator; `null` for other types of actors. */
    actorId: uuid('actor_id'),
    actorName: text('actor_name').notNull(),
    action: auditAction().notNull(),
    subjectType: auditSubjectType('subject_type').notNull(),
    subjectId: uuid('subject_id').notNull(),
    /**
     * The name of the changed object after the change. The column `account` contains the object's
     * account, or the name of a changed account.
     */
    subjectName: text('subject_name'),
    account: text(),
    before: jsonb().$type<AuditState>().notNull(),
    after: jsonb().$type<AuditState>().notNull(),
    requestId: text('request_id'),
    reason: text(),
  },
  (entry) => [
    // Each filter of audit entries has an index in the order of the pages.
    index('audit_entries_at').on(entry.at, entry.id),
    index('audit_entries_subject').on(entry.subjectId, entry.at, entry.id),
    index('audit_entries_actor').on(entry.actorType, entry.actorId, entry.at, entry.id),
    index('audit_entries_account')
      .on(entry.account, entry.at, entry.id)
      .where(sql`${entry.account} is not null`),
    index('audit_entries_action').on(entry.action, entry.at, entry.id),
    // The unique index prevents duplicates. A replica may write the start of a ban twice if it does
    // not know whether the first attempt succeeded.
    uniqueIndex('audit_entries_ban_start')
      .on(entry.subjectId, entry.at)
      .where(sql`${entry.action} = 'ban.started'`),
  ],
);

/** The bans that have not ended. Ended bans are deleted every hour. */
export const openBans = pgTable(
  'open_bans',
  {
    keyId: uuid('key_id').notNull(),
    startedAt: instant('started_at').notNull(),
    until: instant().notNull(),
  },
  (ban) => [
    primaryKey({ columns: [ban.keyId, ban.startedAt] }),
    index('open_bans_until').on(ban.until),
  ],
);

/**
 * The moves of bans that have not ended. Bans move in Redis when an API key gets another account,
 * or when the plan of an account changes: see `ban-moves.ts`.
 */
export const banMoves = pgTable(
  'ban_moves',
  {
    id: uuid().primaryKey().defaultRandom(),
    /**
     * The id of the API key that gets another account; `null` if the plan of an account changes.
     */
    keyId: uuid('key_id'),
    /** The names of the accounts among which the bans move. */
    accounts: text().array().notNull(),
    startedAt: instant('started_at').notNull().default(sql`now()`),
  },
  (move) => [index('ban_moves_started_at').on(move.startedAt)],
);

/**
 * The sessions of operators. A session ends when the token that created it expires. The operator of
 * a session is the operator of that token.
 */
export const operatorSessions = pgTable('operator_sessions', {
  /**
   * The SHA-256 hash of the session's token, in hexadecimal. If the `ADMIN_TOKEN` created the
   * session, the value is an HMAC, whose secret is the `ADMIN_TOKEN`.
   */
  hash: text().primaryKey(),
  /** The hash of the operator's token; `null` for the `ADMIN_TOKEN`, which is not stored. */
  tokenHash: text('token_hash').references(() => operatorTokens.hash),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  expiresAt: instant('expires_at').notNull(),
});

/**
 * The idempotency keys, each with the id of the animal that the first request with this idempotency
 * key created. A repeated request contains the body again, so the animal's id is enough to repeat
 * the response.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyId: uuid('key_id').notNull(),
    /**
     * The hash of the idempotency key, as `sha256 <hexadecimal>`. Replicas of earlier versions
     * store the idempotency key itself.
     */
    idempotencyKey: text('idempotency_key').notNull(),
    /** The SHA-256 hash of the validated request body, in hexadecimal. */
    fingerprint: text().notNull(),
    petId: bigint('pet_id', { mode: 'number' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (row) => [
    primaryKey({ columns: [row.keyId, row.idempotencyKey] }),
    index('idempotency_keys_created_at').on(row.createdAt),
  ],
);
