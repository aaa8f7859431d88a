import { Name } from '@animal-store/contract/internal';
import { planNames } from '@animal-store/contract/plan';
import { z } from 'zod';

// Fields that several schemas of the admin API use. Unlike the public types, the types of the admin
// API are inferred, because the client does not publish them.

/** The states of an operator. Only an active one is admitted. */
export const operatorStates = ['active', 'expired', 'revoked'] as const;

/**
 * The states of a key: the states of an operator, and `suspended`, because operators cannot be
 * suspended.
 */
export const keyStates = ['active', 'suspended', 'expired', 'revoked'] as const;

const instant = { error: 'expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z' };
const id = { error: 'expected a UUID' };
const future = { error: 'expected a time to come' };

/** Creates the schema of one of several names. */
export function oneOf<const Text extends string>(names: readonly Text[]) {
  return z.enum(names, { error: `expected one of ${names.join(', ')}` });
}

export const count = z.int().min(0);
export const timestamp = z.iso.datetime();

export const Plan = oneOf(planNames).meta({ id: 'Plan', description: 'The name of a plan.' });

// An offset may move a year of four digits into one of five, which Postgres cannot read. Postgres
// also rejects some offsets, so from here on the time is in UTC.
const Instant = z.iso
  .datetime({ offset: true, abort: true, ...instant })
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, { ...instant, abort: true })
  .overwrite((text) => new Date(text).toISOString());

/**
 * The time when something expires. It is compared with the clock of this process, and a time that
 * has just passed is not an error.
 */
export const Expiry = Instant.refine((text) => Date.parse(text) > Date.now(), future);

/** The start or end of a period in the past. */
// Postgres has no year 0, and cannot read the form in which JavaScript writes years beyond 9999.
export const PastInstant = Instant.refine(
  (text) => new Date(text).getUTCFullYear() >= 2000 && new Date(text).getUTCFullYear() < 3000,
  { error: 'expected a time from the year 2000 to 2999' },
);

/**
 * An id in a path, in lower case: UUIDs may be written in either case (RFC 9562, §4), and are
 * compared as text.
 */
export const PathId = z.uuid(id).toLowerCase();

export const KeyToken = z
  .object({
    prefix: z.string().describe('Its first characters.'),
    createdAt: timestamp.describe('When it was created.'),
    expiresAt: timestamp
      .nullable()
      .describe('When it expires, if that is before its key expires because it was replaced.'),
  })
  .meta({ id: 'KeyToken', description: 'The visible part of a token.' });

/** Creates the schema of the expiry of a new key or operator. */
export const newLifetime = (holder: 'key' | 'operator') => ({
  expiresAt: Expiry.describe(
    `When the ${holder} expires: a time in the future, with its offset, before the year 10000. If it is missing, it never expires.`,
  ).optional(),
});

/** Creates the schemas for the times and tokens of a key or operator. */
export const lifetime = (holder: 'key' | 'operator') => ({
  createdAt: timestamp.describe(`When the ${holder} was created.`),
  expiresAt: timestamp.nullable().describe(`When the ${holder} expires; \`null\` for never.`),
  revokedAt: timestamp.nullable().describe(`When the ${holder} was revoked, if it was.`),
  tokens: z
    .array(KeyToken)
    .describe(
      `The tokens that are valid as long as the ${holder} is, the newest first. There are several while a replaced one is still valid.`,
    ),
});

/** Creates the schema of a token that was just created. */
export const newToken = (scheme: string, description: string) =>
  z.string().meta({ description, pattern: `^${scheme}_[0-9A-Za-z]{36}$` });

/** A token for examples. It is never valid, because its checksum is wrong. */
export const exampleToken = (scheme: string): string => `${scheme}_${'0'.repeat(36)}`;

/** The largest count of a list. A count of one more means that there are more. */
export const maxCounted = 10_000;

/** Creates the parameter that requests the count of a list. */
export const Counted = z
  .enum(['true'], { error: 'expected true' })
  .optional()
  .meta({
    description: `Adds the header \`X-Total-Count\`: the number of matches on all pages. ${maxCounted + 1} means more than ${maxCounted}.`,
    examples: ['true'],
  });

/**
 * The reason of an operator's change. It is a query parameter, because some changes have no body.
 */
export const ReasonQuery = z.object({
  reason: Name.optional().meta({
    description: 'The reason, for the audit log.',
    examples: ['Contract 2026-118'],
  }),
});
