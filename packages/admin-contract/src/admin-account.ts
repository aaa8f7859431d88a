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
import {
  BusyKey,
  exampleBusyKey,
  IncludeHistory,
  UsageQuery,
  UsageRow,
  usageRange,
} from './admin-usage.ts';
import { Label } from './label-schema.ts';
import { strictObject } from './strict-object.ts';

/** The maximum number of keys that the details of an account list. */
export const maxShownKeys = 100;

/** The maximum number of busiest keys that the details of an account list. */
export const maxBusyKeys = 10;

/** The schema of an account's name in a path. Keys have the same name as their `account`. */
export const AccountPath = z.object({
  // The rules for new names do not apply here, because accounts of earlier versions may have other
  // names.
  account: Name.meta({
    description:
      "The operator's own reference. If no account has exactly this name, white space and the normal form of letters do not matter.",
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
    account: z.string().describe("The operator's own reference: the `account` of its keys."),
    plan: Plan.nullable().describe(
      'The plan whose limits all keys of the account share; `null` if each key has its own.',
    ),
    quota: KeyQuota.nullable().describe(
      "The limits that its keys share: the plan's, or its own limits; `null` without a plan.",
    ),
    suspension: Suspension.nullable().describe(
      'When and why all of its keys were suspended; `null` if they are not suspended.',
    ),
    keys: count.describe('How many of its keys are neither expired nor revoked.'),
  })
  .meta({
    id: 'Account',
    description: 'An account, which several keys can share.',
    examples: [exampleAccount],
  });

export type Account = z.output<typeof Account>;

const requestsToday = count.describe(
  'The requests of its keys since midnight UTC, with any outcome.',
);

const deniedToday = count.describe('How many of these requests got a 429.');

const bannedKeys = count.describe('How many of its keys are banned now.');

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
    name: z.string().nullable().describe('Who or what the key is for.'),
    windows: UsageWindows,
  })
  .meta({ id: 'FullKey', description: 'A key that has used up one of its own windows, or both.' });

const AccountHistory = z
  .object({
    ...usageRange,
    rows: z
      .array(UsageRow)
      .describe('The requests of its keys together, by time, operation and outcome.'),
  })
  .meta({
    id: 'AccountHistory',
    description: 'The usage history of its keys, present with `include=history`.',
  });

export const AccountDetailsQuery = z.object({ include: IncludeHistory, ...UsageQuery.shape });

export const AccountDetails = Account.extend({
  usage: AccountUsage.nullable().describe(
    'Both windows now; `null` without a plan, when each key has its own.',
  ),
  bannedKeys,
  requestsToday,
  deniedToday,
  bans: z
    .array(OpenBan)
    .describe(`The bans of its keys, at most ${maxShownKeys}, the ban that ends last first.`),
  fullKeys: z
    .array(FullKey)
    .describe(
      'Which of its busiest keys are denied now by their own limits; empty if the account has a plan.',
    ),
  busiestKeys: z
    .array(BusyKey)
    .describe(`Its keys with the most requests since midnight UTC, at most ${maxBusyKeys}.`),
  history: AccountHistory.optional(),
  newestKeys: z
    .array(ListedKey)
    .describe(
      `Its newest keys, at most ${maxShownKeys}, in any state. The list of keys shows all of them by their \`account\`.`,
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
  error: `expected one of ${Plan.options.join(', ')}, or null for none`,
};

const PlanWithNumbers = strictObject({
  plan: Plan.exclude(['enterprise']).describe('The name of a plan with fixed limits.'),
  quota: z.never(noQuota).optional(),
}).meta({ id: 'AccountPlanOfList', description: 'A plan with fixed limits.' });

const EnterprisePlan = strictObject({
  plan: z.literal('enterprise').describe('The name of the plan.'),
  quota: OwnQuota,
}).meta({ id: 'AccountEnterprisePlan', description: 'Enterprise, with its limits.' });

const NoPlan = strictObject({
  plan: z.null().describe('No plan.'),
  quota: z.never(noQuota).optional(),
}).meta({ id: 'AccountWithoutPlan', description: 'No plan: the account is only a label.' });

export const AccountPlan = z
  .discriminatedUnion('plan', [PlanWithNumbers, EnterprisePlan, NoPlan], {
    error: ({ code }) => (code === 'invalid_union' ? plan.error : 'expected a JSON object'),
  })
  .meta({
    id: 'AccountPlan',
    description:
      'The plan whose limits the keys of the account share; `null` for none. Enterprise needs its own limits.',
    examples: [
      { plan: 'business' },
      { plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } },
      { plan: null },
    ],
  });

export type AccountPlan = z.output<typeof AccountPlan>;

/** The sort orders for the list of accounts. A minus sign reverses the order. */
const accountSorts = ['name', '-name', '-requests', '-denials'] as const;

/** The schema of the query of the list of accounts: filters, order and page. */
export const ListAccountsQuery = z.object({
  limit: PageLimit.default(pageLimit.default).meta({
    description: 'The largest number of accounts to return.',
    examples: [50],
  }),
  plan: Plan.optional().meta({
    description: 'Only accounts that have this plan.',
    examples: ['business'],
  }),
  suspended: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({ description: 'Only accounts that are suspended.', examples: ['true'] }),
  nearLimit: z
    .enum(['true'], { error: 'expected true' })
    .optional()
    .meta({
      description:
        'Only accounts with a plan whose keys were admitted at least 80 % of its requests a day since midnight UTC, as counted in the usage ledger.',
      examples: ['true'],
    }),
  search: Label.optional().meta({
    description:
      'Only accounts whose name contains this text (case-insensitive). Never send a token here.',
    examples: ['c-1'],
  }),
  anyCaseOf: Label.overwrite(tidyAccountName)
    .optional()
    .meta({
      description:
        'Only accounts with this name (case-insensitive): use it to find accounts that a new one could be confused with.',
      examples: ['c-17'],
    }),
  sort: oneOf(accountSorts)
    .optional()
    .meta({
      description:
        'The order of the accounts; a minus sign reverses it. The default is `name`: `C-2` comes before `C-10`. `-requests` and `-denials` sort by the requests of its keys since midnight UTC, or by the requests that got a 429, and list accounts without any at the end.',
      examples: ['-requests'],
    }),
  count: Counted,
  cursor: PageCursor.optional(),
});

export type AccountFilter = Omit<z.output<typeof ListAccountsQuery>, 'limit' | 'count' | 'cursor'>;
