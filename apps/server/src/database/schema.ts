import {
  type Int64,
  maxPetId,
  nameLength,
  normalizeInt64,
  PetStatus,
  planNames,
} from '@animal-store/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

/** `bigint`, exact: drizzle's own modes are either lossy or always a `bigint`. */
const int64 = customType<{ data: Int64; driverData: string | number | bigint }>({
  dataType: () => 'bigint',
  toDriver: (value) => String(value),
  // Fifteen digits are always exact, and nearly all values have no more.
  fromDriver: (value) =>
    typeof value === 'string' && value.length <= 15 ? Number(value) : normalizeInt64(BigInt(value)),
});

export const petStatus = pgEnum('pet_status', PetStatus.enum);

/** The sequence of pet ids. By name, because to look it up costs as much as an insert. */
export const petIdSequence = sql.raw("'pets_id_seq'");

/** The catalogue. */
export const pets = pgTable(
  'pets',
  {
    // Bounded, so that an id is always an exact `number` in JavaScript.
    id: bigint({ mode: 'number' })
      .primaryKey()
      .generatedByDefaultAsIdentity({ name: 'pets_id_seq', minValue: 1, maxValue: maxPetId }),
    name: text().notNull(),
    categoryId: int64('category_id').notNull(),
    status: petStatus().notNull().default('available'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (pet) => [
    // Pages of one status, by id.
    index('pets_status_id').on(pet.status, pet.id),
    check(
      'pets_name_length',
      sql`char_length(${pet.name}) between ${sql.raw(String(nameLength.min))} and ${sql.raw(String(nameLength.max))}`,
    ),
  ],
);

export const planName = pgEnum('plan_name', planNames);

/** An API key: its plan and, for Enterprise, its own quota. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** Who or what the key is for, as the operator put it. */
    name: text(),
    /** The operator's own reference, such as a customer number. */
    account: text(),
    plan: planName().notNull(),
    /** Requests per minute; on Enterprise keys only. */
    perMinute: integer('per_minute'),
    /** Requests per day; on Enterprise keys only. */
    perDay: integer('per_day'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
  },
  (key) => [
    // Pages of keys, the newest first.
    index('api_keys_created_at').on(key.createdAt, key.id),
    check(
      'api_keys_quota',
      sql`case when ${key.plan} = 'enterprise' then ${key.perMinute} > 0 and ${key.perDay} > 0 and ${key.perMinute} is not null and ${key.perDay} is not null else ${key.perMinute} is null and ${key.perDay} is null end`,
    ),
  ],
);

/** The secrets of a key: more than one during the grace period of a rotation. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    /** SHA-256 of the token, in hexadecimal. The token itself is stored nowhere. */
    hash: text().primaryKey(),
    keyId: uuid('key_id')
      .notNull()
      .references(() => apiKeys.id),
    /** The token's first characters, to recognise it by. */
    prefix: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
  },
  (token) => [index('api_tokens_key_id').on(token.keyId)],
);

export const operatorRole = pgEnum('operator_role', ['viewer', 'operator', 'owner']);

/** Somebody, or a program, that may use the admin API. */
export const operators = pgTable('operators', {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull(),
  role: operatorRole().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
});

/** The secrets of an operator: more than one during the grace period of a rotation. */
export const operatorTokens = pgTable(
  'operator_tokens',
  {
    /** SHA-256 of the token, in hexadecimal. The token itself is stored nowhere. */
    hash: text().primaryKey(),
    operatorId: uuid('operator_id')
      .notNull()
      .references(() => operators.id),
    /** The token's first characters, to recognise it by. */
    prefix: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
  },
  (token) => [index('operator_tokens_operator_id').on(token.operatorId)],
);

/**
 * The sessions of operators. A session ends with the token that it was exchanged for, so whose it is
 * follows from that token.
 */
export const operatorSessions = pgTable('operator_sessions', {
  /** SHA-256 of the session's token; with the `ADMIN_TOKEN`, an HMAC by it. In hexadecimal. */
  hash: text().primaryKey(),
  /** The operator's token; `null` for the `ADMIN_TOKEN`, which is stored nowhere. */
  tokenHash: text('token_hash').references(() => operatorTokens.hash),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
});

/**
 * The pet that was created with an `Idempotency-Key`. A replay brings the body again, so the pet's id
 * is enough to repeat the response.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyId: uuid('key_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of the validated body, in hexadecimal. */
    fingerprint: text().notNull(),
    petId: bigint('pet_id', { mode: 'number' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (row) => [
    primaryKey({ columns: [row.keyId, row.idempotencyKey] }),
    index('idempotency_keys_created_at').on(row.createdAt),
  ],
);
