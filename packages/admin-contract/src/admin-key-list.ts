import { pageLimit } from '@animal-store/contract';
import { Name, PageCursor, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import { Counted, count, Plan, timestamp } from './admin-fields.ts';
import { exampleKey, Key, KeyState } from './admin-key.ts';
import { Label } from './label-schema.ts';

const tokenPrefix = {
  error: 'expected the first 8 characters of a token, such as ast_0000',
};
const days = { error: 'expected an integer from 1 to 400' };

export const exampleListedKey = { ...exampleKey, bannedUntil: null };

const RecentUse = z
  .object({
    byHour: z
      .array(count)
      .length(24)
      .describe('The requests of each of the last 24 hours (UTC), the current hour last.'),
    requestsToday: count.describe('The requests since midnight UTC, with any outcome.'),
    deniedToday: count.describe('How many requests got a 429 since midnight UTC.'),
    deprecatedCalls: count.describe(
      'The calls of deprecated operations in the last 30 days (UTC), including today.',
    ),
  })
  .meta({
    id: 'RecentUse',
    description: 'The recent usage of the key, present with `include=recent`.',
  });

export type RecentUse = z.output<typeof RecentUse>;

export const ListedKey = Key.extend({
  bannedUntil: timestamp
    .nullable()
    .describe(
      'When the ban of the key ends, according to the audit log; `null` without a ban, and for a revoked or expired key. A new ban is visible after a few seconds.',
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

/**
 * The schema of a number of days in a query. For callers, the type is a number. The service
 * receives the number as text and converts it.
 */
export const Days = z.codec(
  z.string(days).regex(/^[1-9]\d{0,2}$/, days),
  z.int(days).min(1, days).max(400, days),
  { decode: Number, encode: String },
);

/** The sort orders for the list of API keys. A minus sign reverses the order. */
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

/** The schema of the query that lists keys: filters, order and page. */
export const ListKeysQuery = z.object({
  limit: PageLimit.default(pageLimit.default).meta({
    description: 'The largest number of keys to return.',
    examples: [50],
  }),
  plan: Plan.optional().meta({
    description:
      'Lists only keys with this effective plan: the plan of their account, or their own plan if the account has none.',
    examples: ['pro'],
  }),
  state: KeyState.optional().meta({
    description:
      'Lists only keys in this state. `suspended` includes keys whose account is suspended, and `active` excludes them.',
    examples: ['active'],
  }),
  name: Name.optional().meta({
    description: 'Lists only keys whose name starts with this text (case-insensitive).',
    examples: ['acme'],
  }),
  account: Name.optional().meta({
    description: 'Lists only keys of this account.',
    examples: [exampleKey.account],
  }),
  tokenPrefix: z
    .string(tokenPrefix)
    .regex(/^ast_[0-9A-Za-z]{4}$/, tokenPrefix)
    .optional()
    .meta({
      description:
        'Lists only keys with a current or earlier token that has these first 8 characters. Never send a whole token here.',
      examples: ['ast_0000'],
    }),
  search: Label.optional().meta({
    description:
      'Lists only keys that match this text. The name or the account of the key contains the text (case-insensitive), the id starts with the text, or a current or earlier token has these first 8 characters. Never send a whole token here.',
    examples: ['cme'],
  }),
  banned: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description: 'Lists only keys that are banned now, and neither revoked nor expired.',
      examples: ['true'],
    }),
  deprecatedWithinDays: Days.optional().meta({
    description: 'Lists only keys that called a deprecated operation within this number of days.',
    examples: [30],
  }),
  expiresWithinDays: Days.optional().meta({
    description:
      'Lists only keys that are not revoked and expire within this number of days. The key that expires first comes first.',
    examples: [30],
  }),
  nearLimit: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description:
        'Lists only keys that have their own limits, and have used at least 80 % of their daily limit since midnight UTC, according to the stored request counts.',
      examples: ['true'],
    }),
  unusedForDays: Days.optional().meta({
    description:
      'Lists only keys whose last request is at least this number of days ago. For keys without a request, the creation counts instead.',
    examples: [90],
  }),
  sort: KeySort.optional().meta({
    description:
      'The order of the keys; a minus sign reverses it. If `sort` is missing, the filter determines the order. `name`: by name, keys without a name first. `created`: oldest first. `lastUse`: by the last use, or by the creation of an unused key, longest ago first. `plan`: from `free` to `enterprise`; within a plan, the oldest key first. `state`: active keys first, then `suspended`, `expired` and `revoked`; within a state, the newest key first. `-requests`: by the requests since midnight UTC. `-denials`: by those requests that got a 429. Keys without such requests come last, the newest first.',
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

/**
 * The filters and the order of the list of keys. If `sort` is missing, the filter determines the
 * order.
 */
export type KeyFilter = Omit<
  z.output<typeof ListKeysQuery>,
  'limit' | 'include' | 'count' | 'cursor'
>;
