import { Name } from '@animal-store/contract/internal';
import { planNames } from '@animal-store/contract/plan';
import { z } from 'zod';

// What several schemas of the admin API consist of. Unlike the public types, those of the admin API are
// inferred: the client does not publish them.

/** The states of an operator. Only an active one is admitted. */
export const operatorStates = ['active', 'expired', 'revoked'] as const;

/** The states of a key, the same and one more: operators cannot be suspended. */
export const keyStates = ['active', 'suspended', 'expired', 'revoked'] as const;

const instant = { error: 'expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z' };
const id = { error: 'expected a UUID' };
const future = { error: 'expected a time to come' };

/** One of some names. */
export function oneOf<const Text extends string>(names: readonly Text[]) {
  return z.enum(names, { error: `expected one of ${names.join(', ')}` });
}

export const count = z.int().min(0);
export const timestamp = z.iso.datetime();

export const Plan = oneOf(planNames).meta({ id: 'Plan', description: 'The name of a plan.' });

// An offset may move the last year of four digits into one of five, which Postgres cannot read. Nor
// does it read every offset, so from here on the time is in UTC.
const Instant = z.iso
  .datetime({ offset: true, abort: true, ...instant })
  .refine((text) => new Date(text).getUTCFullYear() <= 9999, { ...instant, abort: true })
  .overwrite((text) => new Date(text).toISOString());

/** When something expires. By the clock of this process: what has just expired needs no fault. */
export const Expiry = Instant.refine((text) => Date.parse(text) > Date.now(), future);

/** What a question about the past begins or ends with. */
// Postgres knows no year 0, and JavaScript writes no year beyond 9999 as Postgres reads it.
export const PastInstant = Instant.refine(
  (text) => new Date(text).getUTCFullYear() >= 2000 && new Date(text).getUTCFullYear() < 3000,
  { error: 'expected a time from the year 2000 to 2999' },
);

/** An id in a path, in lower case: UUIDs may be written in either (RFC 9562, §4), and are compared as text. */
export const PathId = z.uuid(id).toLowerCase();

export const KeyToken = z
  .object({
    prefix: z.string().describe('Its first characters.'),
    createdAt: timestamp.describe('When it was created.'),
    expiresAt: timestamp
      .nullable()
      .describe('When it expires, if that is before its key does because it was replaced.'),
  })
  .meta({ id: 'KeyToken', description: 'A token, as far as it may be shown again.' });

/** When a new key or operator expires. */
export const newLifetime = (holder: 'key' | 'operator') => ({
  expiresAt: Expiry.describe(
    `When the ${holder} expires: a time in the future, with its offset, before the year 10000. Never if it is left out.`,
  ).optional(),
});

/** The times of a key or operator, and its tokens. */
export const lifetime = (holder: 'key' | 'operator') => ({
  createdAt: timestamp.describe(`When the ${holder} was created.`),
  expiresAt: timestamp.nullable().describe(`When the ${holder} expires; \`null\` for never.`),
  revokedAt: timestamp.nullable().describe(`When the ${holder} was revoked, if it was.`),
  tokens: z
    .array(KeyToken)
    .describe(
      `The tokens that are valid as long as the ${holder} is, the newest first: more than one while a replaced one still is.`,
    ),
});

/** A token that was just created. */
export const newToken = (scheme: string, description: string) =>
  z.string().meta({ description, pattern: `^${scheme}_[0-9A-Za-z]{36}$` });

/** A token for examples, which is nobody's: its checksum is wrong. */
export const exampleToken = (scheme: string): string => `${scheme}_${'0'.repeat(36)}`;

/** The most that is counted of a list: one more stands for more than that. */
export const maxCounted = 10_000;

/** Asks how many a list has. */
export const Counted = z
  .enum(['true'], { error: 'expected true' })
  .optional()
  .meta({
    description: `Adds the header \`X-Total-Count\`: how many match, on all pages. ${maxCounted + 1} stands for more than ${maxCounted}.`,
    examples: ['true'],
  });

/** Why an operator changes something. A query parameter, because some changes have no body. */
export const ReasonQuery = z.object({
  reason: Name.optional().meta({
    description: 'Why, for the audit log.',
    examples: ['Contract 2026-118'],
  }),
});
