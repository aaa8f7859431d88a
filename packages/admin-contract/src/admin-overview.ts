import { z } from 'zod';
import { count, timestamp } from './admin-fields.ts';
import { exampleKey } from './admin-key.ts';
import {
  BusyKey,
  exampleBusyKey,
  exampleUsageRange,
  exampleUsageRows,
  UsageRow,
  usageOutcomes,
  usageRange,
} from './admin-usage.ts';

const milliseconds = z.number().min(0).nullable();

const OutcomeCounts = z
  .object(
    Object.fromEntries(usageOutcomes.map((outcome) => [outcome, count])) as Record<
      (typeof usageOutcomes)[number],
      typeof count
    >,
  )
  .meta({ id: 'OutcomeCounts', description: 'The number of requests for each outcome.' });

const LiveTraffic = z
  .object({
    seconds: count.describe(
      'The length of the counted period in seconds. The period ended at most 5 seconds ago.',
    ),
    requests: OutcomeCounts,
    p50Ms: milliseconds.describe(
      'Half of the requests took at most this number of milliseconds; `null` without requests. The number is accurate to 10 %.',
    ),
    p99Ms: milliseconds.describe(
      '99 of 100 requests took at most this number of milliseconds; `null` without requests. The number is accurate to 10 %.',
    ),
  })
  .meta({
    id: 'LiveTraffic',
    description:
      'The requests of the last minute on all replicas. Each replica reports every few seconds.',
  });

export const exampleOpenBan = {
  keyId: exampleKey.id,
  name: exampleKey.name,
  until: '2026-11-21T09:34:10.000Z',
};

export const OpenBan = z
  .object({
    keyId: z.uuid().describe('The `id` of the key.'),
    name: z.string().nullable().describe('Says who or what the key is for.'),
    until: timestamp.describe('When the ban ends.'),
  })
  .meta({ id: 'OpenBan', description: 'A ban that has not ended.' });

const DeniedCaller = z
  .object({
    account: z
      .string()
      .nullable()
      .describe('The account of the keys; `null` for a key without an account.'),
    keyId: z.uuid().nullable().describe('The `id` of a key without an account; `null` otherwise.'),
    name: z.string().nullable().describe('Says who or what the key without an account is for.'),
    denials: z.int().min(1).describe('How many requests of the account or key got a 429.'),
  })
  .meta({
    id: 'DeniedCaller',
    description: 'An account, or a key without an account, with requests that got a 429.',
  });

/** An account, or a key without an account, with requests that got a 429. */
export type DeniedCaller = z.output<typeof DeniedCaller>;

const exampleDenied = { account: exampleKey.account, keyId: null, name: null, denials: 123 };

const Readiness = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'not_ready'])
      .describe(
        '`degraded`: the replica serves requests, but has a problem that somebody should solve.',
      ),
    reasons: z.array(z.string()).describe('The problems of the replica, each in one sentence.'),
  })
  .meta({
    id: 'Readiness',
    description: 'The state of the responding replica, as in `/readyz`.',
  });

const OverviewHistory = z
  .object({
    ...usageRange,
    rows: z
      .array(UsageRow)
      .describe('The requests of all keys together, including requests without a key, by time.'),
    busiest: z
      .array(BusyKey)
      .describe(
        'The ten busiest keys on the days (UTC) of the period, the busiest first. If the period is longer than 31 days, only its last 31 days count.',
      ),
    denied: z
      .array(DeniedCaller)
      .describe(
        'The accounts and keys with the most 429 responses on the days that `busiest` covers, at most 10, ordered by the number of these responses.',
      ),
  })
  .meta({
    id: 'OverviewHistory',
    description: 'The history of a period, present with `include=history`.',
  });

export const Overview = z
  .object({
    at: timestamp.describe('When the numbers of this overview were read.'),
    replicas: z
      .object({
        count: z.int().min(1).describe('The number of running replicas.'),
        reporting: count.describe(
          'The number of replicas that have reported requests for the last minute. Replicas of earlier versions do not report.',
        ),
      })
      .describe('The numbers of replicas, according to their heartbeats.'),
    traffic: LiveTraffic,
    keys: z
      .object({
        active: count.describe(
          'The number of keys that are neither suspended, expired nor revoked.',
        ),
        suspended: count.describe(
          'The number of keys that are suspended now, alone or with their account.',
        ),
        banned: count.describe(
          'The number of keys that are banned now, without revoked and expired keys.',
        ),
      })
      .describe('The numbers of keys, by state.'),
    bans: z.array(OpenBan).describe('The bans that end last, at most 10.'),
    denied: z
      .array(DeniedCaller)
      .describe(
        'The accounts and keys with the most 429 responses in this minute and the previous one, at most 10, ordered by the number of these responses.',
      ),
    stores: z
      .object({
        database: z.enum(['postgres', 'embedded']).describe('Where the data is stored.'),
        quotas: z.enum(['redis', 'in-process']).describe('Where quotas are counted.'),
      })
      .describe('The stores of the service. `readiness` contains their state.'),
    readiness: Readiness,
    history: OverviewHistory.optional(),
  })
  .meta({
    id: 'Overview',
    description: 'The state of the service, at most a few seconds old.',
    examples: [
      {
        at: '2026-11-21T09:30:00.000Z',
        replicas: { count: 3, reporting: 3 },
        traffic: {
          seconds: 60,
          requests: {
            ok: 9_212,
            client_error: 14,
            server_error: 0,
            denied: 120,
            banned: 3,
            refused: 8,
          },
          p50Ms: 1.8,
          p99Ms: 12.4,
        },
        keys: { active: 1_204, suspended: 2, banned: 1 },
        bans: [exampleOpenBan],
        denied: [exampleDenied],
        stores: { database: 'postgres', quotas: 'redis' },
        readiness: { status: 'ready', reasons: [] },
        history: {
          ...exampleUsageRange,
          rows: exampleUsageRows,
          busiest: [exampleBusyKey],
          denied: [exampleDenied],
        },
      },
    ],
  });

export type Overview = z.output<typeof Overview>;
