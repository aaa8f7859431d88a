import { z } from 'zod';
import { PageLimit } from '../pet.ts';
import { exampleKey, Instant, Plan } from './admin-key.ts';

/** The operations that usage is counted by. `none` stands for everything else under `/v1`. */
export const usageOperations = ['none', 'listPets', 'createPet', 'getPet', 'listOrders'] as const;

/** How the requests that are counted ended. */
export const usageOutcomes = ['ok', 'client_error', 'server_error', 'denied', 'banned'] as const;

/** The spans of time that requests are counted by, in seconds. */
export const usageBucketSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const;

/** The most buckets that one answer covers. */
export const maxUsageBuckets = 1_500;

const bucketNames = ['minute', 'hour', 'day'] as const;
const bucket = { error: `expected one of ${bucketNames.join(', ')}` };

export const UsageOperation = z
  .enum(usageOperations)
  .describe(
    'The operation that was called. `none`: any other path under `/v1`, among them `GET /v1/rate-limit`, and every request without a valid key.',
  );

/** The operation that was called. */
export type UsageOperation = z.output<typeof UsageOperation>;

export const UsageOutcome = z
  .enum(usageOutcomes)
  .describe(
    'How it ended: `denied` and `banned` are the two kinds of 429, the others go by status. A caller that was gone before the answer is a `client_error`.',
  );

/** How a request ended. */
export type UsageOutcome = z.output<typeof UsageOutcome>;

export const UsageBucket = z.enum(bucketNames, bucket).describe('The span of time of each row.');

/** A span of time that requests are counted by. */
export type UsageBucket = z.output<typeof UsageBucket>;

const timestamp = z.iso.datetime();

export const UsageRow = z
  .object({
    at: timestamp.describe('The start of the bucket.'),
    operation: UsageOperation,
    outcome: UsageOutcome,
    requests: z.int().min(1).describe('The number of requests.'),
  })
  .describe('The requests of one bucket, operation and outcome.');

/** The requests of one bucket, operation and outcome. */
export type UsageRow = z.output<typeof UsageRow>;

const range = {
  from: timestamp.describe('The start of the first bucket.'),
  to: timestamp.describe('The end of the last bucket.'),
  bucket: UsageBucket,
  rows: z
    .array(UsageRow)
    .describe('By time, operation and outcome. There are no rows of zero requests.'),
};

const exampleRange = {
  from: '2026-11-21T08:00:00.000Z',
  to: '2026-11-21T10:00:00.000Z',
  bucket: 'hour',
  rows: [
    { at: '2026-11-21T09:00:00.000Z', operation: 'listPets', outcome: 'ok', requests: 212 },
    { at: '2026-11-21T09:00:00.000Z', operation: 'getPet', outcome: 'client_error', requests: 3 },
  ],
};

export const LedgerOfKey = z
  .object({ keyId: z.uuid().describe('The `id` of the key.'), ...range })
  .meta({
    description: 'What a key has used in a span of time.',
    examples: [{ keyId: exampleKey.id, ...exampleRange }],
  });

/** What a key has used in a span of time. */
export type LedgerOfKey = z.output<typeof LedgerOfKey>;

// Postgres knows no year 0, and JavaScript writes no year beyond 9999 as Postgres reads it.
const UsageInstant = Instant.refine(
  (text) => new Date(text).getUTCFullYear() >= 2000 && new Date(text).getUTCFullYear() < 3000,
  { error: 'expected a time from the year 2000 to 2999' },
);

/** What narrows an answer about usage. */
export const UsageQuery = z.object({
  from: UsageInstant.optional().meta({
    description:
      'The start, rounded down to a bucket. 24 hours before `to` if it is left out; 60 minutes for `minute`, 30 days for `day`.',
    examples: ['2026-11-21T00:00:00Z'],
  }),
  to: UsageInstant.optional().meta({
    description: 'The end, rounded up to a bucket. Now if it is left out.',
    examples: ['2026-11-22T00:00:00Z'],
  }),
  bucket: UsageBucket.default('hour').meta({
    description: `The span of time of each row. An answer covers at most ${maxUsageBuckets} of them.`,
    examples: ['hour'],
  }),
});

/** What narrows an answer about the usage of all keys. */
export const ServiceUsageQuery = UsageQuery.extend({
  plan: Plan.optional().meta({
    description: 'Only requests of keys that had this plan when they made them.',
    examples: ['pro'],
  }),
});

export const ServiceLedger = z.object(range).meta({
  description: 'What all keys together have used in a span of time, and requests without a key.',
  examples: [exampleRange],
});

const day = { error: 'expected a date, such as 2026-11-21' };

/** What narrows the list of the busiest keys. */
export const BusiestKeysQuery = z.object({
  day: z.iso
    .date(day)
    .refine((text) => text >= '2000' && text < '3000', {
      error: 'expected a date from the year 2000 to 2999',
    })
    .optional()
    .meta({ description: 'The day, in UTC. Today if it is left out.', examples: ['2026-11-21'] }),
  plan: Plan.optional().meta({
    description: 'Only keys that had this plan at the end of the day.',
    examples: ['pro'],
  }),
  limit: PageLimit.default(10).meta({
    description: 'The greatest number of keys to return.',
    examples: [10],
  }),
});

export const BusyKey = z
  .object({
    keyId: z.uuid().describe('The `id` of the key.'),
    requests: z.int().min(1).describe('The requests of the day, whatever their outcome.'),
  })
  .describe('A key and how many requests it made in a day.');

export const BusiestKeys = z
  .object({
    day: z.iso.date().describe('The day, in UTC.'),
    keys: z.array(BusyKey).describe('The busiest key is first.'),
  })
  .meta({
    description: 'The keys that made the most requests in a day.',
    examples: [{ day: '2026-11-21', keys: [{ keyId: exampleKey.id, requests: 9_212 }] }],
  });
