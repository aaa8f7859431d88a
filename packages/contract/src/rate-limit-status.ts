import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { rateLimitStatusRoutes } from './routes.ts';

// Each type is written next to its schema, and is not inferred from it. The client publishes these
// types, and the declarations of the client must not mention zod.

/**
 * How often an API key may request its own quota state per minute. These requests do not count
 * against the key's quota.
 */
export const rateLimitStatusPerMinute = 60;

/**
 * The number of characters of a time in responses. The schema documents the length, but does not
 * check it.
 */
const maxTimeLength = '2026-11-21T09:31:00.000Z'.length;

/** The state of one quota window of an API key. */
export interface QuotaWindow {
  /** The limit of the window, in requests. */
  limit: number;
  /** The number of requests that are left in the window. */
  remaining: number;
  /**
   * The time when the window resets: ISO 8601 in UTC. If no request has opened the window yet, it
   * is the time when the window would reset if a request opened it now.
   */
  resetsAt: string;
}

/** @internal The schema of one quota window of a key. */
export const QuotaWindow = z
  .object({
    limit: z.int().min(0).describe('How many requests the quota allows in this window.'),
    remaining: z.int().min(0).describe('How many requests are left in this window.'),
    resetsAt: z.iso.datetime().meta({
      maxLength: maxTimeLength,
      description:
        'When the window ends and its count resets. Without a request in the window: when a window that starts now would end.',
    }),
  })
  .meta({
    id: 'QuotaWindow',
    description: 'One quota window of an API key.',
  }) satisfies z.ZodType<QuotaWindow>;

/** The remaining quota of an API key, and whether the key is close to a ban. */
export interface RateLimitStatus {
  /**
   * The name of the plan that determines the limits, such as `free`. Newer versions may add plans.
   */
  plan: string;
  /** Whether the windows belong to the API key alone, or to all keys of its account together. */
  subject: 'key' | 'account';
  /** The minute and the day window. A request is admitted only if both have requests left. */
  windows: { minute: QuotaWindow; day: QuotaWindow };
  /** The time when the ban ends, as ISO 8601 in UTC, or `null` if the key is not banned. */
  bannedUntil: string | null;
  /** Whether the key is close to a ban, because it kept sending requests after a 429. */
  warned: boolean;
}

/** @internal The schema of the remaining quota of a key. */
export const RateLimitStatus = z
  .object({
    plan: z.string().meta({
      maxLength: 64,
      description: 'The name of the plan whose limits apply. New plans may be added.',
      examples: ['free', 'pro', 'business', 'enterprise'],
    }),
    subject: z
      .enum(['key', 'account'])
      .describe(
        '`key`: the quota windows belong to this API key alone. `account`: all keys of the account share the windows.',
      ),
    windows: z
      .object({ minute: QuotaWindow, day: QuotaWindow })
      .describe(
        'The minute and the day window. A request is admitted only if both have requests left.',
      ),
    bannedUntil: z.iso.datetime().nullable().meta({
      maxLength: maxTimeLength,
      description: 'When the ban ends; `null` if the API key is not banned.',
    }),
    warned: z
      .boolean()
      .describe(
        'Whether the API key is close to a ban, because it kept sending requests after a 429.',
      ),
  })
  .meta({
    id: 'RateLimitStatus',
    description: 'The remaining quota of an API key, and how close the API key is to a ban.',
    examples: [
      {
        plan: 'free',
        subject: 'key',
        windows: {
          minute: { limit: 60, remaining: 59, resetsAt: '2026-11-21T09:31:00.000Z' },
          day: { limit: 1_000, remaining: 999, resetsAt: '2026-11-22T09:30:00.000Z' },
        },
        bannedUntil: null,
        warned: false,
      },
    ],
  }) satisfies z.ZodType<RateLimitStatus>;

/**
 * The contract of the operation that returns a key's quota state. It is in beta, so it may change
 * within v1. Its path is relative to `/v1`.
 */
export const rateLimitStatusContract = initContract().router(
  {
    getRateLimit: {
      ...rateLimitStatusRoutes.getRateLimit,
      summary: 'Show your rate limits',
      description: `Returns the plan of the API key, its minute and day windows, and whether all keys of its account share these windows. Also returns when a ban ends, and whether a ban is close. The request costs no quota, never leads to a ban, and works even during a ban. A key may make ${rateLimitStatusPerMinute} such requests per minute. Further requests get 429, whose \`X-RateLimit-*\` headers describe this separate limit.`,
      responses: {
        200: RateLimitStatus,
        401: ErrorBody,
        403: ErrorBody,
        429: ErrorBody,
        500: ErrorBody,
        503: ErrorBody,
      },
      metadata: {
        operation: 'getRateLimit',
        usageCode: 5,
        stability: 'beta',
        scope: 'pets:read',
        quota: 'status',
      } as const,
    },
  },
  { strictStatusCodes: true, metadata: { tag: 'Rate limits' } },
);
