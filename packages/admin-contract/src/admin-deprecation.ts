import { pageLimit } from '@animal-store/contract';
import { PageCursor, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import { Days, exampleListedKey, Keys } from './admin-key-list.ts';
import { exampleUsageRange, UsageQuery, UsageRow, usageRange } from './admin-usage.ts';
import { startsBeforeEnd } from './period.ts';

/**
 * The schema of the query that lists the callers of deprecated operations: the period of the calls,
 * and the page of the list.
 */
export const DeprecationQuery = z
  .object({
    ...UsageQuery.shape,
    deprecatedWithinDays: Days.default(30).meta({
      description:
        'The callers in the response are the keys that called a deprecated operation within this number of days.',
      examples: [30],
    }),
    limit: PageLimit.default(pageLimit.default).meta({
      description: 'The largest number of callers to return.',
      examples: [50],
    }),
    cursor: PageCursor.optional(),
  })
  .check(startsBeforeEnd);

export const Deprecation = z
  .object({
    ...usageRange,
    rows: z
      .array(UsageRow)
      .describe(
        'The requests for deprecated operations, summed up over all keys, by time, operation and outcome.',
      ),
    callers: Keys.describe(
      'A page of the keys that called a deprecated operation. The key with the latest call comes first. Each key has the property `recent`, with its requests of the last day and month.',
    ),
  })
  .meta({
    id: 'Deprecation',
    description: 'How often deprecated operations were called, and by which keys.',
    examples: [
      {
        ...exampleUsageRange,
        rows: [
          { at: '2026-11-21T09:00:00.000Z', operation: 'getPet', outcome: 'ok', requests: 215 },
        ],
        callers: [exampleListedKey],
      },
    ],
  });

export type Deprecation = z.output<typeof Deprecation>;
