import { z } from 'zod';
import { Name } from '../name-schema.ts';
import { pageLimit } from '../page-limit.ts';
import { PageCursor, PageLimit } from '../pet.ts';
import { planNames } from '../plan.ts';
import type { windowSeconds } from '../rate-limit.ts';
import {
  count,
  Expiry,
  exampleToken,
  keyStates,
  lifetime,
  newLifetime,
  newToken,
  oneOf,
  PathId,
  Plan,
  timestamp,
} from './admin-fields.ts';
import { strictObject } from './strict-object.ts';

/** How long the tokens before a rotation stay valid, in seconds. */
export const gracePeriod = { min: 0, max: 30 * 86_400, default: 86_400 } as const;

/** The greatest limit that a key can have: that of a 32-bit integer, in which limits are stored. */
export const maxLimit: number = 2 ** 31 - 1;

const limit = { error: `expected an integer from 1 to ${maxLimit}` };
const noQuota = { error: 'expected none: only Enterprise keys have numbers of their own' };
const change = { error: 'expected one or more of name, account, expiresAt, plan, quota' };
const tokenPrefix = {
  error: 'expected the 8 characters that are shown of a token, such as ast_0000',
};
const days = { error: 'expected an integer from 1 to 400' };
const grace = { error: `expected an integer from ${gracePeriod.min} to ${gracePeriod.max}` };

export const KeyState = oneOf(keyStates).meta({
  id: 'KeyState',
  description: 'The state of a key. Only an active one is admitted.',
});

/** The state of a key. */
export type KeyState = z.output<typeof KeyState>;

const keyLimit = z.int(limit).min(1, limit).max(maxLimit, limit);

const limits = {
  perMinute: keyLimit.describe('Requests in a window of 60 seconds.'),
  perDay: keyLimit.describe('Requests in a window of 86,400 seconds.'),
};

const OwnQuota = strictObject(limits).meta({
  id: 'OwnQuota',
  description: 'The numbers of an Enterprise key.',
  examples: [{ perMinute: 5_000, perDay: 1_000_000 }],
});

/** What helps people tell keys apart. */
const labels = {
  name: Name.describe('Who or what the key is for; need not be unique.').optional(),
  account: Name.describe(
    'A reference of your own, such as a customer number; need not be unique.',
  ).optional(),
};

const NewPlanKey = strictObject({
  ...labels,
  plan: Plan.exclude(['enterprise']).describe('The name of a plan that has its numbers.'),
  quota: z.never(noQuota).optional(),
  ...newLifetime('key'),
}).meta({
  id: 'NewPlanKey',
  description: 'What creates a key of a plan that has its numbers.',
  examples: [{ name: 'acme', plan: 'pro', expiresAt: '2027-02-19T09:00:00Z' }],
});

const NewEnterpriseKey = strictObject({
  ...labels,
  plan: z.literal('enterprise').describe('The name of the plan.'),
  quota: OwnQuota,
  ...newLifetime('key'),
}).meta({
  id: 'NewEnterpriseKey',
  description: 'What creates a key that brings its own numbers.',
  examples: [{ plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } }],
});

export const NewKey = z
  .discriminatedUnion('plan', [NewPlanKey, NewEnterpriseKey], {
    error: ({ code }) =>
      code === 'invalid_union'
        ? `expected one of ${planNames.join(', ')}`
        : 'expected a JSON object',
  })
  .meta({
    id: 'NewKey',
    description:
      'What creates a key. An Enterprise key brings its own numbers; the other plans have them.',
    discriminator: {
      propertyName: 'plan',
      mapping: {
        ...Object.fromEntries(
          NewPlanKey.shape.plan.options.map((plan) => [plan, '#/components/schemas/NewPlanKey']),
        ),
        enterprise: '#/components/schemas/NewEnterpriseKey',
      },
    },
  });

/** What creates a key. */
export type NewKey = z.output<typeof NewKey>;

export const KeyChange = strictObject({
  name: labels.name
    .unwrap()
    .nullable()
    .optional()
    .describe('Who or what the key is for; `null` for nothing.'),
  account: labels.account
    .unwrap()
    .nullable()
    .optional()
    .describe('A reference of your own; `null` for none.'),
  expiresAt: Expiry.nullable()
    .optional()
    .describe(
      'When the key expires: a time in the future, with its offset, before the year 10000; `null` for never.',
    ),
  plan: Plan.optional(),
  /** Required where the key becomes Enterprise; refused where it is not Enterprise afterwards. */
  quota: OwnQuota.optional(),
})
  .refine((members) => Object.values(members).some((member) => member !== undefined), change)
  .refine(({ plan, quota }) => quota === undefined || plan === undefined || plan === 'enterprise', {
    path: ['quota'],
    ...noQuota,
  })
  .meta({
    id: 'KeyChange',
    description:
      'A change of a key. Members that are left out stay as they are; `null` removes a name, an account or an expiry.',
    minProperties: 1,
    // Where a plan comes with numbers, it is the one that takes them.
    dependentSchemas: { quota: { properties: { plan: { const: 'enterprise' } } } },
    examples: [{ plan: 'business' }],
  });

/** A change of a key. Members that are left out stay as they are. */
export type KeyChange = z.output<typeof KeyChange>;

/** How a new token replaces the tokens of a key. The whole body may be left out. */
export const Rotation = strictObject({
  graceSeconds: z
    .int(grace)
    .min(gracePeriod.min, grace)
    .max(gracePeriod.max, grace)
    .default(gracePeriod.default)
    .describe(
      `How long the tokens before it stay valid, in seconds: ${gracePeriod.default} if it is left out, 0 for not at all, at most 30 days. A rotation never extends what an earlier one left.`,
    ),
})
  .prefault({})
  .meta({
    id: 'Rotation',
    description:
      "How a new token replaces a key's tokens. The tokens before it stay valid for 24 hours by default.",
    examples: [{ graceSeconds: 3_600 }],
  });

export const KeyQuota = z.object(limits).meta({
  id: 'Quota',
  description: "The numbers that hold: the plan's, or an Enterprise key's own.",
});

/** The key that examples show. */
export const exampleKey = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  name: 'acme',
  account: 'C-17',
  plan: 'pro',
  quota: { perMinute: 300, perDay: 10_000 },
  state: 'active',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2027-02-19T09:00:00.000Z',
  revokedAt: null,
  lastUsedAt: '2026-11-21T09:30:00.000Z',
  tokens: [{ prefix: 'ast_0000', createdAt: '2026-11-21T09:00:00.000Z', expiresAt: null }],
};

/** A key as operators see it. Every member is there; `null` stands for what the key does not have. */
export const Key = z
  .object({
    id: z.uuid().describe('Identifies the key, whatever its tokens are.'),
    name: z.string().nullable().describe('Who or what the key is for.'),
    account: z
      .string()
      .nullable()
      .describe("The operator's own reference, such as a customer number."),
    plan: Plan,
    quota: KeyQuota,
    state: KeyState,
    lastUsedAt: timestamp
      .nullable()
      .describe(
        'The minute of the last request with the key that is counted, about half a minute after it was made; `null` if there was none.',
      ),
    ...lifetime('key'),
  })
  .meta({
    id: 'Key',
    description: 'An API key. Every member is there; `null` stands for what the key does not have.',
    examples: [exampleKey],
  });

/** A key as operators see it. */
export type Key = z.output<typeof Key>;

const RecentUse = z
  .object({
    byHour: z
      .array(count)
      .length(24)
      .describe('The requests of each of the last 24 hours (UTC), the present one last.'),
    deprecatedCalls: count.describe(
      'The calls of deprecated operations in the last 30 days (UTC), the present one included.',
    ),
  })
  .meta({
    id: 'RecentUse',
    description: 'What the key has been used for lately, if `include=recent` asks for it.',
  });

/** What a key has been used for lately. */
export type RecentUse = z.output<typeof RecentUse>;

const ListedKey = Key.extend({ recent: RecentUse.optional() }).meta({
  id: 'ListedKey',
  description: 'An API key in a list.',
  examples: [exampleKey],
});

/** A key in a list. */
export type ListedKey = z.output<typeof ListedKey>;

export const Keys = z
  .array(ListedKey)
  .meta({ id: 'Keys', description: 'A page of keys.', examples: [[exampleKey]] });

/** One quota window. While no request has opened it, `resetsAt` is when it would reset. */
const KeyWindow = z
  .object({
    limit: keyLimit.describe('Requests that it admits.'),
    remaining: count.describe('Requests that are left.'),
    resetsAt: timestamp.describe(
      'When it resets; while no request has opened it, when it would reset if one did now.',
    ),
  })
  .meta({ id: 'KeyWindow', description: 'One quota window.' });

const UsageScope = z.enum(['service', 'replica']).meta({
  id: 'UsageScope',
  description:
    'Whose requests are counted. `service`: those of all replicas. `replica`: while Redis is unavailable, those that the replica which was asked has answered since, against its share of each limit; another replica reports other numbers.',
});

const exampleUsage = {
  scope: 'service',
  windows: {
    minute: { limit: 300, remaining: 296, resetsAt: '2026-11-21T09:31:00.000Z' },
    day: { limit: 10_000, remaining: 9_212, resetsAt: '2026-11-22T09:00:00.000Z' },
  },
  strikes: 0,
  strikeThreshold: 150,
  bannedUntil: null,
};

export const KeyUsage = z
  .object({
    scope: UsageScope,
    windows: z
      .object({ minute: KeyWindow, day: KeyWindow } satisfies Record<
        keyof typeof windowSeconds,
        unknown
      >)
      .describe('Both windows.'),
    strikes: count.describe('Requests that did not wait after a 429.'),
    strikeThreshold: count
      .nullable()
      .describe('The strikes that a key can have without a ban; `null` if bans are off.'),
    bannedUntil: timestamp.nullable().describe('When the ban ends, if the key is banned.'),
  })
  .meta({
    id: 'KeyUsage',
    description: 'What a key has used, and how close it is to a ban, at this moment.',
    examples: [exampleUsage],
  });

/** What a key has used, and how close it is to a ban, at this moment. */
export type KeyUsage = z.output<typeof KeyUsage>;

export const KeyDetails = Key.extend({ usage: KeyUsage }).meta({
  id: 'KeyDetails',
  description: 'A key with its usage at this moment.',
  examples: [{ ...exampleKey, usage: exampleUsage }],
});

/** A key with its usage. */
export type KeyDetails = z.output<typeof KeyDetails>;

/** The example key with its token. */
export const exampleIssuedKey = {
  key: { ...exampleKey, lastUsedAt: null },
  token: exampleToken('ast'),
};

export const IssuedKey = z
  .object({
    key: Key,
    token: newToken('ast', 'What callers send as `Authorization: Bearer <API_KEY>`.'),
  })
  .meta({
    id: 'IssuedKey',
    description:
      'A key with a token that was just created. The token is shown here and never again.',
    examples: [exampleIssuedKey],
  });

/** A key with a token that was just created. */
export type IssuedKey = z.output<typeof IssuedKey>;

/** A number of days in a query. */
const Days = z.codec(
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
] as const;

const sort = { error: `expected one of ${keySorts.join(', ')}` };

const KeySort = z.enum(keySorts, sort).meta({ id: 'KeySort' });

/** What the list of keys is sorted by. */
export type KeySort = z.output<typeof KeySort>;

/** What narrows and sorts the list of keys, and where its page starts. */
export const ListKeysQuery = z.object({
  limit: PageLimit.default(pageLimit.default).meta({
    description: 'The greatest number of keys to return.',
    examples: [50],
  }),
  plan: Plan.optional().meta({ description: 'Only keys of this plan.', examples: ['pro'] }),
  state: KeyState.optional().meta({
    description: 'Only keys in this state.',
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
  deprecatedWithinDays: Days.optional().meta({
    description: 'Only keys that called a deprecated operation within so many days.',
    examples: [30],
  }),
  unusedForDays: Days.optional().meta({
    description:
      'Only keys whose last request, or creation if there was none, is at least so many days ago.',
    examples: [90],
  }),
  sort: KeySort.optional().meta({
    description:
      'The order of the keys; a minus sign reverses it. `name`: by name, and keys without one first. `created`: the oldest first. `lastUse`: by the last use, or by the creation of a key that was never used, the longest ago first. `plan`: from `free` to `enterprise`, in a plan the oldest key first. If it is left out, the filter decides.',
    examples: ['-lastUse'],
  }),
  include: z
    .enum(['recent'], { error: 'expected recent' })
    .optional()
    .meta({
      description: 'Adds `recent` to each key: its requests of the last day and month.',
      examples: ['recent'],
    }),
  cursor: PageCursor.optional(),
});

/** What narrows and sorts the list of keys. If no order is given, the filter decides. */
export type KeyFilter = Omit<z.output<typeof ListKeysQuery>, 'limit' | 'include' | 'cursor'>;

/** The id of a key. */
export const KeyPath = z.object({
  keyId: PathId.meta({ description: 'The `id` of the key.', examples: [exampleKey.id] }),
});

/** Tells whether a value can be the id of a key. */
export function isKeyId(value: unknown): value is string {
  return KeyPath.shape.keyId.safeParse(value).success;
}
