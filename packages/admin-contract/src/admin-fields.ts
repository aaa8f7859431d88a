import { Name } from '@animal-store/contract/internal';
import { planNames } from '@animal-store/contract/plan';
import { z } from 'zod';

// This file defines fields that several schemas of the admin API use. The types of the admin API
// are inferred from its schemas. The types of the public API are written by hand, because the
// client publishes them without zod.

/** The states of an operator. Only an active operator can use the admin API. */
export const operatorStates = ['active', 'expired', 'revoked'] as const;

/**
 * The states of an API key. Operators have the same states except `suspended`, because an operator
 * cannot be suspended.
 */
export const keyStates = ['active', 'suspended', 'expired', 'revoked'] as const;

const instant = { error: 'expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z' };
const id = { error: 'expected a UUID' };
const future = { error: 'expected a time in the future' };

/** Creates the schema of a text that must be one of the given names. */
export function oneOf<const Text extends string>(names: readonly Text[]) {
  return z.enum(names, { error: `expected one of ${names.join(', ')}` });
}

export const count = z.int().min(0);
export const timestamp = z.iso.datetime();

export const Plan = oneOf(planNames).meta({ id: 'Plan', description: 'The name of a plan.' });

// This schema converts the time to UTC, because Postgres rejects some UTC offsets. The schema
// checks the year in UTC, because an offset can move the year 9999 to 10000, which Postgres cannot
// read.
const Instant = z.iso
  .datetime({ offset: true, abort: true, ...instant })
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, { ...instant, abort: true })
  .overwrite((text) => new Date(text).toISOString());

/**
 * The schema of an expiry, which must be in the future. The schema compares the expiry with the
 * clock of this process. If the expiry passes after this check, no error occurs.
 */
export const Expiry = Instant.refine((text) => Date.parse(text) > Date.now(), future);

/** The schema of the start or end of a period in the past. */
// The years 2000 to 2999 exclude the year 0, which Postgres does not have. They also exclude years
// beyond 9999, because JavaScript writes these years in a form that Postgres cannot read.
export const PastInstant = Instant.refine(
  (text) => new Date(text).getUTCFullYear() >= 2000 && new Date(text).getUTCFullYear() < 3000,
  { error: 'expected a time from the year 2000 to 2999' },
);

/**
 * The schema of an id in a path. Ids are compared as text, so this schema converts a UUID to lower
 * case. Callers may write it in either case (RFC 9562, §4).
 */
export const PathId = z.uuid(id).toLowerCase();

export const KeyToken = z
  .object({
    prefix: z.string().describe('The first characters of the token.'),
    createdAt: timestamp.describe('When the token was created.'),
    expiresAt: timestamp
      .nullable()
      .describe(
        'When the token expires, if a rotation has replaced the token; `null` if the token stays valid as long as its key or operator.',
      ),
  })
  .meta({ id: 'KeyToken', description: 'The visible part of a token.' });

/** Creates the schema of the expiry in the body that creates a key or an operator. */
export const newLifetime = (holder: 'key' | 'operator') => ({
  expiresAt: Expiry.describe(
    `When the ${holder} expires: a time in the future, with a UTC offset, before the year 10000. Without this time, the ${holder} never expires.`,
  ).optional(),
});

/** Creates the schemas of the times and tokens of a key or an operator. */
export const lifetime = (holder: 'key' | 'operator') => ({
  createdAt: timestamp.describe(`When the ${holder} was created.`),
  expiresAt: timestamp
    .nullable()
    .describe(`When the ${holder} expires; \`null\` if it never expires.`),
  revokedAt: timestamp
    .nullable()
    .describe(`When the ${holder} was revoked; \`null\` if it was not revoked.`),
  tokens: z
    .array(KeyToken)
    .describe(
      `The tokens of the ${holder}, the newest first: the current token, and replaced tokens whose grace period has not ended.`,
    ),
});

/** Creates the schema of a token that was just created. */
export const newToken = (scheme: string, description: string) =>
  z.string().meta({ description, pattern: `^${scheme}_[0-9A-Za-z]{36}$` });

/** Returns a token for examples. It can never be valid, because its checksum is wrong. */
export const exampleToken = (scheme: string): string => `${scheme}_${'0'.repeat(36)}`;

/**
 * The largest number of matches that the service counts for a list. If a list has more matches, the
 * service reports 10,001, which means "more than 10,000".
 */
export const maxCounted = 10_000;

/** The schema of the parameter that requests the number of all matches, on all pages. */
export const Counted = z
  .enum(['true'], { error: 'expected true' })
  .optional()
  .meta({
    description: `Adds the header \`X-Total-Count\`: the number of matches on all pages. ${maxCounted + 1} means more than ${maxCounted}.`,
    examples: ['true'],
  });

/**
 * The schema of the reason for an operator's change. The reason is a query parameter, because some
 * changes have no body.
 */
export const ReasonQuery = z.object({
  reason: Name.optional().meta({
    description: 'The reason for the change, which the audit log shows.',
    examples: ['Contract 2026-118'],
  }),
});
