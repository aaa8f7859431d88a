import type { windowSeconds } from '@animal-store/contract';
import { z } from 'zod';
import { AuditEntry } from './admin-audit.ts';
import { count, Plan, timestamp } from './admin-fields.ts';
import { exampleKey, Key, keyLimit } from './admin-key.ts';
import { UsageRow, usageRange } from './admin-usage.ts';

/**
 * The schema of one quota window. If no request has opened the window yet, `resetsAt` is the time
 * when the window would reset if a request opened it now.
 */
const KeyWindow = z
  .object({
    limit: keyLimit.describe('How many requests the quota allows in this window.'),
    remaining: count.describe('How many requests are left in this window.'),
    resetsAt: timestamp.describe(
      'When the window ends and its count resets. If the window has no request yet, this is the time when a window that starts now would end.',
    ),
  })
  .meta({ id: 'KeyWindow', description: 'One quota window.' });

export const UsageScope = z.enum(['service', 'replica']).meta({
  id: 'UsageScope',
  description:
    'Says which requests are counted. `service`: the requests of all replicas. `replica`: Redis is unavailable, so the replica that responds counts only its own requests, and admits an equal share of each limit. Other replicas report other numbers.',
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
        'Says which windows count the requests of the key. `account`: the account of the key has a plan, and all keys of the account share the windows. `key`: the key has its own windows.',
      ),
    plan: Plan.describe(
      "The effective plan: the plan of the account, or the key's own plan if the account has none.",
    ),
    windows: UsageWindows,
    strikes: count.describe(
      'The strikes of the key: requests that did not wait after a 429 and count towards a ban.',
    ),
    strikesResetAt: timestamp
      .nullable()
      .describe(
        'When the strikes expire, unless the key is banned earlier; `null` if the key has no strikes.',
      ),
    strikeThreshold: count
      .nullable()
      .describe(
        'How many strikes (denied requests that count towards a ban) the key may have without being banned; `null` if bans are off.',
      ),
    bannedUntil: timestamp.nullable().describe('When the ban ends, if the key is banned.'),
  })
  .meta({
    id: 'KeyUsage',
    description: 'The usage of a key now, and how close the key is to a ban.',
    examples: [exampleUsage],
  });

export type KeyUsage = z.output<typeof KeyUsage>;

const KeyHistory = z
  .object({
    ...usageRange,
    rows: z.array(UsageRow).describe('The requests of the key by time, operation and outcome.'),
    audit: z
      .array(AuditEntry)
      .describe('The 20 newest entries of the audit log about the key, from any time.'),
  })
  .meta({
    id: 'KeyHistory',
    description: 'The history of the key, present with `include=history`.',
  });

export const KeyDetails = Key.extend({
  usage: KeyUsage,
  history: KeyHistory.optional(),
}).meta({
  id: 'KeyDetails',
  description: 'A key with its current usage.',
  examples: [{ ...exampleKey, usage: exampleUsage }],
});

export type KeyDetails = z.output<typeof KeyDetails>;
