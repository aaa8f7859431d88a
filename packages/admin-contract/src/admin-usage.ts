import { type Operation, operations } from '@animal-store/contract';
import { Name, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import { oneOf, PastInstant, Plan, timestamp } from './admin-fields.ts';
import { exampleKey } from './admin-key.ts';
import { startsBeforeEnd } from './period.ts';

/**
 * The names of the operations in the usage tables. The position of an operation in this list is its
 * `usageCode`, the number that the tables store. `none` stands for all requests under `/v1` that
 * match no operation.
 */
export const usageOperations: readonly ('none' | Operation)[] = [
  'none',
  ...Object.values(operations)
    .map(({ metadata }) => metadata)
    .sort((a, b) => a.usageCode - b.usageCode)
    .map(({ operation }) => operation),
];

/** The outcomes by which the usage tables count requests. */
export const usageOutcomes = [
  'ok',
  'client_error',
  'server_error',
  'denied',
  'banned',
  'refused',
] as const;

/** The lengths of the time buckets of a usage report, in seconds. */
export const usageBucketSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const;

/** The maximum number of buckets in one response. */
export const maxUsageBuckets = 1_500;

/** The maximum number of days in one response that is grouped by key. */
export const maxGroupedDays = 31;

export const UsageOperation = z.enum(usageOperations).meta({
  id: 'UsageOperation',
  description:
    'The called operation. `none`: any other path under `/v1`, and every request without a known key.',
});

export type UsageOperation = z.output<typeof UsageOperation>;

export const UsageOutcome = z.enum(usageOutcomes).meta({
  id: 'UsageOutcome',
  description:
    'The outcome. `denied` and `banned` are the two kinds of 429. `refused`: the key is suspended, revoked or expired, or its token was replaced. The status determines all other outcomes. If a caller disconnected before the response, the outcome is `client_error`.',
});

export type UsageOutcome = z.output<typeof UsageOutcome>;

export const UsageBucket = oneOf(['minute', 'hour', 'day']).meta({
  id: 'UsageBucket',
  description: 'The length of each bucket.',
});

export type UsageBucket = z.output<typeof UsageBucket>;

export const UsageRow = z
  .object({
    at: timestamp.describe('The start of the bucket.'),
    operation: UsageOperation,
    outcome: UsageOutcome,
    requests: z.int().min(1).describe('The number of requests.'),
  })
  .meta({
    id: 'UsageRow',
    description: 'How many requests of one operation had one outcome in one bucket.',
  });

export type UsageRow = z.output<typeof UsageRow>;

/** The schemas of the period of a report, and of the length of its buckets. */
export const usageRange = {
  from: timestamp.describe('The start of the first bucket.'),
  to: timestamp.describe('The end of the last bucket.'),
  bucket: UsageBucket,
  keptSince: timestamp.describe(
    'The service stores the counts of buckets of this length that start at or after this time. The counts of earlier buckets are deleted, so the report may not contain them.',
  ),
};

const inOrder =
  'The rows of the report, ordered by time, operation and outcome. There are no rows with zero requests.';

/** The period in examples of the reference. */
export const exampleUsageRange = {
  from: '2026-11-21T08:00:00.000Z',
  to: '2026-11-21T10:00:00.000Z',
  bucket: 'hour',
  keptSince: '2026-08-23T09:30:00.000Z',
};

export const exampleUsageRows = [
  { at: '2026-11-21T09:00:00.000Z', operation: 'listPets', outcome: 'ok', requests: 212 },
  { at: '2026-11-21T09:00:00.000Z', operation: 'getPet', outcome: 'client_error', requests: 3 },
];

export const LedgerOfKey = z
  .object({
    keyId: z.uuid().describe('The `id` of the key.'),
    ...usageRange,
    rows: z.array(UsageRow).describe(inOrder),
  })
  .meta({
    id: 'LedgerOfKey',
    description: 'The usage of a key in a period.',
    examples: [{ keyId: exampleKey.id, ...exampleUsageRange, rows: exampleUsageRows }],
  });

export type LedgerOfKey = z.output<typeof LedgerOfKey>;

const from = (defaultStart: string) =>
  PastInstant.optional().meta({
    description: `The start of the period, rounded down to the start of a bucket. The default is ${defaultStart}.`,
    examples: ['2026-11-21T00:00:00Z'],
  });

const to = PastInstant.optional().meta({
  description: 'The end of the period, rounded up to the end of a bucket. The default is now.',
  examples: ['2026-11-22T00:00:00Z'],
});

const defaultStart = '60 minutes before `to` for `minute`, 24 hours for `hour`, 30 days for `day`';
const bucketOfRows = `The length of each bucket. A response covers at most ${maxUsageBuckets} buckets.`;

/**
 * The schema of the parameter `include`. With `include=history`, the response also contains the
 * requests of a period, so that a page of the console needs only one request.
 */
const IncludeHistory = z
  .enum(['history'], { error: 'expected history' })
  .optional()
  .meta({
    description:
      'Adds `history` to the response: the requests from `from` to `to`, in buckets of the length `bucket`.',
    examples: ['history'],
  });

/** The schema of the query of a usage report about one key or account. */
export const UsageQuery = z
  .object({
    from: from(defaultStart),
    to,
    bucket: UsageBucket.default('hour').meta({ description: bucketOfRows, examples: ['hour'] }),
  })
  .check(startsBeforeEnd);

/** The schema of the query of a response that contains a usage report with `include=history`. */
export const HistoryQuery = z
  .object({ include: IncludeHistory, ...UsageQuery.shape })
  .check(startsBeforeEnd);

/** The schema of the query of a usage report about all keys. */
export const ServiceUsageQuery = z
  .object({
    from: from(`${defaultStart}; one day with \`groupBy\``),
    to,
    bucket: UsageBucket.optional().meta({
      description: `${bucketOfRows} The default is \`hour\`. With \`groupBy\`, the default is \`day\`, and the period has at most ${maxGroupedDays} days.`,
      examples: ['day'],
    }),
    plan: Plan.optional().meta({
      description:
        'Counts only requests that keys made while they had this plan. With `groupBy` or `account`, only requests of keys that have this plan now.',
      examples: ['pro'],
    }),
    account: Name.optional().meta({
      description: 'Counts only requests of keys that belong to this account now.',
      examples: [exampleKey.account],
    }),
    groupBy: z
      .enum(['key'], { error: 'expected key' })
      .optional()
      .meta({
        description: 'Groups the requests by key, and returns only the busiest keys.',
        examples: ['key'],
      }),
    limit: PageLimit.optional().meta({
      description:
        'The largest number of keys to return when `groupBy` is present. The default is 10.',
      examples: [10],
    }),
  })
  .check(startsBeforeEnd);

export const BusyKey = z
  .object({
    keyId: z.uuid().describe('The `id` of the key.'),
    name: z.string().nullable().describe('Says who or what the key is for.'),
    account: z.string().nullable().describe('The account of the key.'),
    plan: Plan,
    requests: z
      .int()
      .min(1)
      .describe('The number of requests that the key made in the period, with any outcome.'),
  })
  .meta({ id: 'BusyKey', description: 'A key, and how many requests it made in the period.' });

export const exampleBusyKey = {
  keyId: exampleKey.id,
  name: exampleKey.name,
  account: exampleKey.account,
  plan: exampleKey.plan,
  requests: 61_204,
};

export type BusyKey = z.output<typeof BusyKey>;

export const ServiceUsageRow = z
  .object({
    keyId: z.uuid().optional().describe('The `id` of the key, if the response is grouped by key.'),
    ...UsageRow.shape,
  })
  .meta({
    id: 'ServiceUsageRow',
    description:
      'How many requests of one operation had one outcome in one bucket. If the response is grouped by key, they are the requests of one key.',
  });

export type ServiceUsageRow = z.output<typeof ServiceUsageRow>;

export const ServiceLedger = z
  .object({
    ...usageRange,
    keys: z
      .array(BusyKey)
      .optional()
      .describe('The busiest keys, the busiest first, if the response is grouped by key.'),
    rows: z
      .array(ServiceUsageRow)
      .describe(
        `${inOrder} If the response is grouped by key, the rows are ordered by key first, in the order of \`keys\`.`,
      ),
  })
  .meta({
    id: 'ServiceLedger',
    description:
      'The usage of all keys together in a period, including requests without a key; or the usage of the busiest keys.',
    examples: [{ ...exampleUsageRange, rows: exampleUsageRows }],
  });

export type ServiceLedger = z.output<typeof ServiceLedger>;
