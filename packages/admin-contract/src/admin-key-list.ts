import { pageLimit } from '@animal-store/contract';
import { Name, PageCursor, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import { Counted, count, Plan, timestamp } from './admin-fields.ts';
import { exampleKey, Key, KeyState } from './admin-key.ts';
import { Label } from './label-schema.ts';

const tokenPrefix = {
  error: 'expected the 8 characters that are shown of a token, such as ast_0000',
};
const days = { error: 'expected an integer from 1 to 400' };

export const exampleListedKey = { ...exampleKey, bannedUntil: null };

const RecentUse = z
  .object({
    byHour: z
      .array(count)
      .length(24)
      .describe('The requests of each of the last 24 hours (UTC), the present one last.'),
    requestsToday: count.describe('The requests since midnight UTC, whatever their outcome.'),
    deniedToday: count.describe('How many of them got a 429.'),
    deprecatedCalls: count.describe(
      'The calls of deprecated operations in the last 30 days (UTC), the present one included.',
    ),
  })
  .meta({
    id: 'RecentUse',
    description: 'What the key has been used for lately, if `include=recent` asks for it.',
  });

export type RecentUse = z.output<typeof RecentUse>;

export const ListedKey = Key.extend({
  bannedUntil: timestamp
    .nullable()
    .describe(
      'When the ban of the key ends, as the audit log knows it; `null` without one. It shows up a few seconds after the ban began.',
    ),
  recent: RecentUse.optional(),
}).meta({
  id: 'ListedKey',
  description: 'An API key in a list.',
  examples: [exampleListedKey],
});

export type ListedKey = z.output<typeof ListedKey>;

export const Keys = z
  .array(ListedKey)
  .meta({ id: 'Keys', description: 'A page of keys.', examples: [[exampleListedKey]] });

/** A number of days in a query. */
export const Days = z.codec(
  z.string(days).regex(/^[1-9]\d{0,2}$/, days),
  z.int(days).min(1, days).max(400, days),
  { decode: Number, encode: String },
);

/** What the list of keys can be sorted by. A minus sign stands for the reverse order. */
export const keySorts = [
  'name',
  '-name',
  'created',
  '-created',
  'lastUse',
  '-lastUse',
  'plan',
  '-plan',
  'state',
  '-state',
  '-requests',
  '-denials',
] as const;

const sort = { error: `expected one of ${keySorts.join(', ')}` };

const KeySort = z.enum(keySorts, sort).meta({ id: 'KeySort' });

export type KeySort = z.output<typeof KeySort>;

/** What narrows and sorts the list of keys, and where its page starts. */
export const ListKeysQuery = z.object({
  limit: PageLimit.default(pageLimit.default).meta({
    description: 'The greatest number of keys to return.',
    examples: [50],
  }),
  plan: Plan.optional().meta({
    description:
      'Only keys for which this plan is in force: their own, or that of their account if it has one.',
    examples: ['pro'],
  }),
  state: KeyState.optional().meta({
    description:
      'Only keys in this state. `suspended` finds those whose account is suspended, too, and `active` none of them.',
    examples: ['active'],
  }),
  name: Name.optional().meta({
    description: 'Only keys whose name begins so, in capital or small letters.',
    examples: ['acme'],
  }),
  account: Name.optional().meta({
    description: 'Only keys of this account.',
    examples: [exampleKey.account],
  }),
  tokenPrefix: z
    .string(tokenPrefix)
    .regex(/^ast_[0-9A-Za-z]{4}$/, tokenPrefix)
    .optional()
    .meta({
      description:
        'Only keys that have, or had, a token with these first 8 characters. Never send a whole token here.',
      examples: ['ast_0000'],
    }),
  search: Label.optional().meta({
    description:
      'Only keys whose name or account contains this text, in capital or small letters, whose id begins so, or that have, or had, a token with these first 8 characters. Never send a whole token here.',
    examples: ['cme'],
  }),
  banned: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description: 'Only keys that are banned now.',
      examples: ['true'],
    }),
  deprecatedWithinDays: Days.optional().meta({
    description: 'Only keys that called a deprecated operation within so many days.',
    examples: [30],
  }),
  expiresWithinDays: Days.optional().meta({
    description: 'Only keys that are not revoked and expire within so many days, the next first.',
    examples: [30],
  }),
  nearLimit: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description:
        'Only keys with limits of their own that have been admitted at least 80 % of their requests a day since midnight UTC, as the usage ledger counts.',
      examples: ['true'],
    }),
  unusedForDays: Days.optional().meta({
    description:
      'Only keys whose last request, or creation if there was none, is at least so many days ago.',
    examples: [90],
  }),
  sort: KeySort.optional().meta({
    description:
      'The order of the keys; a minus sign reverses it. `name`: by name, and keys without one first. `created`: the oldest first. `lastUse`: by the last use, or by the creation of a key that was never used, the longest ago first. `plan`: from `free` to `enterprise`, in a plan the oldest key first. `state`: the active ones first, then `suspended`, `expired` and `revoked`, of each the newest first. `-requests` and `-denials`: by the requests since midnight UTC, or by those that got a 429, and then the keys without any, the newest first. If it is left out, the filter decides.',
    examples: ['-lastUse'],
  }),
  include: z
    .enum(['recent'], { error: 'expected recent' })
    .optional()
    .meta({
      description: 'Adds `recent` to each key: its requests of the last day and month.',
      examples: ['recent'],
    }),
  count: Counted,
  cursor: PageCursor.optional(),
});

/** What narrows and sorts the list of keys. If no order is given, the filter decides. */
export type KeyFilter = Omit<
  z.output<typeof ListKeysQuery>,
  'limit' | 'include' | 'count' | 'cursor'
>;
