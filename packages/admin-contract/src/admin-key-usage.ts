import type { windowSeconds } from '@animal-store/contract';
import { z } from 'zod';
import { AuditEntry } from './admin-audit.ts';
import { count, Plan, timestamp } from './admin-fields.ts';
import { exampleKey, Key, keyLimit } from './admin-key.ts';
import { IncludeHistory, UsageQuery, UsageRow, usageRange } from './admin-usage.ts';

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

export const UsageScope = z.enum(['service', 'replica']).meta({
  id: 'UsageScope',
  description:
    'Whose requests are counted. `service`: those of all replicas. `replica`: while Redis is unavailable, those that the replica which was asked has answered since, against its share of each limit; another replica reports other numbers.',
});

export const exampleWindows = {
  minute: { limit: 300, remaining: 296, resetsAt: '2026-11-21T09:31:00.000Z' },
  day: { limit: 10_000, remaining: 9_212, resetsAt: '2026-11-22T09:00:00.000Z' },
};

export const UsageWindows = z
  .object({ minute: KeyWindow, day: KeyWindow } satisfies Record<
    keyof typeof windowSeconds,
    unknown
  >)
  .describe('Both windows.');

const exampleUsage = {
  scope: 'service',
  subject: 'key',
  plan: 'pro',
  windows: exampleWindows,
  strikes: 0,
  strikesResetAt: null,
  strikeThreshold: 150,
  bannedUntil: null,
};

export const KeyUsage = z
  .object({
    scope: UsageScope,
    subject: z
      .enum(['key', 'account'])
      .describe(
        'What the requests of the key count against. `account`: its account has a plan, whose windows all of its keys share. `key`: the key has windows of its own.',
      ),
    plan: Plan.describe(
      'The plan that holds: that of the account, if it has one, otherwise that of the key.',
    ),
    windows: UsageWindows,
    strikes: count.describe('Requests that did not wait after a 429.'),
    strikesResetAt: timestamp
      .nullable()
      .describe(
        'When the strikes are forgotten, unless a ban comes first; `null` without strikes.',
      ),
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

export type KeyUsage = z.output<typeof KeyUsage>;

const KeyHistory = z
  .object({
    ...usageRange,
    rows: z.array(UsageRow).describe('The requests of the key by time, operation and outcome.'),
    audit: z
      .array(AuditEntry)
      .describe('The 20 newest entries of the audit log about the key, whatever the span of time.'),
  })
  .meta({
    id: 'KeyHistory',
    description: 'What happened to the key, if `include=history` asks for it.',
  });

export const KeyDetailsQuery = z.object({ include: IncludeHistory, ...UsageQuery.shape });

export const KeyDetails = Key.extend({
  usage: KeyUsage,
  history: KeyHistory.optional(),
}).meta({
  id: 'KeyDetails',
  description: 'A key with its usage at this moment.',
  examples: [{ ...exampleKey, usage: exampleUsage }],
});

export type KeyDetails = z.output<typeof KeyDetails>;
