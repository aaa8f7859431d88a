import { z } from 'zod';
import type { windowSeconds } from '../rate-limit.ts';
import { count, timestamp } from './admin-fields.ts';
import { exampleKey, Key, keyLimit } from './admin-key.ts';

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
