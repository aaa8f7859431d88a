import { pageLimit } from '@animal-store/contract';
import { Name, PageCursor, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import { tidyAccountName } from './account-name.ts';
import { Counted, count, oneOf, Plan } from './admin-fields.ts';
import { exampleKey, KeyQuota } from './admin-key.ts';
import { exampleListedKey, ListedKey } from './admin-key-list.ts';
import { exampleWindows, UsageScope, UsageWindows } from './admin-key-usage.ts';
import { noQuota, OwnQuota } from './admin-new-key.ts';
import { exampleOpenBan, OpenBan } from './admin-overview.ts';
import { Suspension } from './admin-suspension.ts';
import { BusyKey, exampleBusyKey, UsageRow, usageRange } from './admin-usage.ts';
import { Label } from './label-schema.ts';
import { strictObject } from './strict-object.ts';

/** The maximum number of API keys in the details of an account. */
export const maxShownKeys = 100;

/** The maximum length of the list of an account's busiest API keys. */
export const maxBusyKeys = 10;

/**
 * The schema of an account's name in a path. The property `account` of an API key contains the same
 * name.
 */
export const AccountPath = z.object({
  // This schema does not apply the rules for new names, because earlier versions of the service
  // accepted other names of accounts.
  account: Name.meta({
    description:
      'The name of the account. If no account has exactly this name, the service ignores differences in white space and in the Unicode form of letters.',
    examples: [exampleKey.account],
  }),
});

export const exampleAccount = {
  account: exampleKey.account,
  plan: 'business',
  quota: { perMinute: 1_000, perDay: 100_000 },
  suspension: null,
  keys: 12,
};

export const Account = z
  .object({
    account: z
      .string()
      .describe(
        'The name of the account, which operators choose. The `account` of its keys contains the same name.',
      ),
    plan: Plan.nullable().describe(
      'The plan whose limits all keys of the account share; `null` if each key has its own plan.',
    ),
    quota: KeyQuota.nullable().describe(
      'The limits that the keys of the account share: the limits of the plan or, with the plan Enterprise, the limits of the account itself. `null` without a plan.',
    ),
    suspension: Suspension.nullable().describe(
      'When and why the account was suspended with all its keys; `null` if it is not suspended.',
    ),
    keys: count.describe('How many keys of the account are neither expired nor revoked.'),
  })
  .meta({
    id: 'Account',
    description: 'An account. Several keys can belong to one account.',
    examples: [exampleAccount],
  });

export type Account = z.output<typeof Account>;

const requestsToday = count.describe(
  'The requests of the keys of the account since midnight UTC, with any outcome.',
);

const deniedToday = count.describe(
  'How many requests of the keys of the account got a 429 since midnight UTC.',
);

const bannedKeys = count.describe('How many keys of the account are banned now.');

const exampleListedAccount = {
  ...exampleAccount,
  bannedKeys: 1,
  requestsToday: 84_210,
  deniedToday: 12,
};

const ListedAccount = Account.extend({ bannedKeys, requestsToday, deniedToday }).meta({
  id: 'ListedAccount',
  description: 'An account in a list.',
  examples: [exampleListedAccount],
});

export type ListedAccount = z.output<typeof ListedAccount>;

export const Accounts = z.array(ListedAccount).meta({
  id: 'Accounts',
  description: 'A page of accounts.',
  examples: [[exampleListedAccount]],
});

const AccountUsage = z
  .object({ scope: UsageScope, windows: UsageWindows })
  .meta({ id: 'AccountUsage', description: 'The usage of all keys of an account together.' });

const FullKey = z
  .object({
    keyId: z.uuid().describe('The `id` of the key.'),
    name: z.string().nullable().describe('Says who or what the key is for.'),
    windows: UsageWindows,
  })
  .meta({
    id: 'FullKey',
    description: 'A key that has used up its own limit per minute, its own limit per day, or both.',
  });

const AccountHistory = z
  .object({
    ...usageRange,
    rows: z
      .array(UsageRow)
      .describe(
        'The requests of all keys of the account together, by time, operation and outcome.',
      ),
  })
  .meta({
    id: 'AccountHistory',
    description: 'The usage history of the keys of the account, present with `include=history`.',
  });

export const AccountDetails = Account.extend({
  usage: AccountUsage.nullable().describe(
    'The current minute and day of the quota that the keys of the account share; `null` without a plan, because each key then has its own quota.',
  ),
  bannedKeys,
  suspendedKeys: count.describe(
    'How many keys of the account are suspended now, separately or together with the account.',
  ),
  requestsToday,
  deniedToday,
  bans: z
    .array(OpenBan)
    .describe(
      `Up to ${maxShownKeys} bans of keys of the account. The ban that ends last comes first.`,
    ),
  fullKeys: z
    .array(FullKey)
    .describe(
      'The keys whose requests are denied now because they have used up their own limits. The service looks only at the busiest keys of the account. The list is empty if the account has a plan.',
    ),
  busiestKeys: z
    .array(BusyKey)
    .describe(
      `Up to ${maxBusyKeys} keys of the account: the keys that have sent the most requests since midnight UTC.`,
    ),
  history: AccountHistory.optional(),
  newestKeys: z
    .array(ListedKey)
    .describe(
      `The newest ${maxShownKeys} keys of the account, in any state. To list all keys of the account, call \`GET /keys\` with the parameter \`account\`.`,
    ),
}).meta({
  id: 'AccountDetails',
  description: 'An account, its usage and its keys.',
  examples: [
    {
      ...exampleListedAccount,
      usage: { scope: 'service', windows: exampleWindows },
      bans: [exampleOpenBan],
      fullKeys: [],
      busiestKeys: [exampleBusyKey],
      newestKeys: [exampleListedKey],
    },
  ],
});

export type AccountDetails = z.output<typeof AccountDetails>;

const plan = {
  error: `expected one of ${Plan.options.join(', ')}, or null for no plan`,
};

const PlanWithNumbers = strictObject({
  plan: Plan.exclude(['enterprise']).describe('The name of a plan with fixed limits.'),
  quota: z.never(noQuota).optional(),
}).meta({ id: 'AccountPlanOfList', description: 'A plan with fixed limits.' });

const EnterprisePlan = strictObject({
  plan: z.literal('enterprise').describe('The name of the plan.'),
  quota: OwnQuota,
}).meta({
  id: 'AccountEnterprisePlan',
  description: 'The plan Enterprise, with the limits that were agreed with the customer.',
});

const NoPlan = strictObject({
  plan: z.null().describe('No plan.'),
  quota: z.never(noQuota).optional(),
}).meta({
  id: 'AccountWithoutPlan',
  description: 'No plan: each key of the account has its own limits.',
});

export const AccountPlan = z
  .discriminatedUnion('plan', [PlanWithNumbers, EnterprisePlan, NoPlan], {
    error: ({ code }) => (code === 'invalid_union' ? plan.error : 'expected a JSON object'),
  })
  .meta({
    id: 'AccountPlan',
    description:
      'The plan whose limits the keys of the account share; `null` if the account has no plan. The plan `enterprise` needs a `quota`.',
    examples: [
      { plan: 'business' },
      { plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } },
      { plan: null },
    ],
  });

export type AccountPlan = z.output<typeof AccountPlan>;

/** The sort orders for the list of accounts. A minus sign reverses the order. */
const accountSorts = ['name', '-name', '-requests', '-denials'] as const;

/** The schema of the query that lists accounts: filters, order and page. */
export const ListAccountsQuery = z.object({
  limit: PageLimit.default(pageLimit.default).meta({
    description: 'The largest number of accounts to return.',
    examples: [50],
  }),
  plan: Plan.optional().meta({
    description: 'Lists only accounts that have this plan.',
    examples: ['business'],
  }),
  suspended: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({ description: 'Lists only accounts that are suspended.', examples: ['true'] }),
  nearLimit: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description:
        'Lists only accounts with a plan that have used at least 80 % of their daily limit since midnight UTC, according to the stored request counts.',
      examples: ['true'],
    }),
  search: Label.optional().meta({
    description:
      'Lists only accounts whose name contains this text (case-insensitive). Never send a token here.',
    examples: ['c-1'],
  }),
  anyCaseOf: Label.overwrite(tidyAccountName)
    .optional()
    .meta({
      description:
        'Lists only accounts with this name (case-insensitive). Use this filter to find accounts that a new account could be confused with.',
      examples: ['c-17'],
    }),
  sort: oneOf(accountSorts)
    .optional()
    .meta({
      description:
        'The order of the accounts; a minus sign reverses it. The default is `name`: `C-2` comes before `C-10`. `-requests` sorts by the requests of the keys of an account since midnight UTC, and `-denials` by those requests that got a 429. Accounts without such requests come last.',
      examples: ['-requests'],
    }),
  count: Counted,
  cursor: PageCursor.optional(),
});

export type AccountFilter = Omit<z.output<typeof ListAccountsQuery>, 'limit' | 'count' | 'cursor'>;
