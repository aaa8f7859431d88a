import { z } from 'zod';
import { strictObject } from './strict-object.ts';

/** How long the tokens before a rotation stay valid, in seconds. */
export const gracePeriod = { min: 0, max: 30 * 86_400, default: 86_400 } as const;

const grace = { error: `expected an integer from ${gracePeriod.min} to ${gracePeriod.max}` };

/** How a new token replaces the tokens of a key. The whole body may be left out. */
export const Rotation = strictObject({
  graceSeconds: z
    .int(grace)
    .min(gracePeriod.min, grace)
    .max(gracePeriod.max, grace)
    .default(gracePeriod.default)
    .describe(
      `How long the tokens before it stay valid, in seconds: ${gracePeriod.default} if it is left out, 0 for not at all, at most 30 days. A rotation never extends what an earlier one left.`,
    ),
})
  .prefault({})
  .meta({
    id: 'Rotation',
    description:
      "How a new token replaces a key's tokens. The tokens before it stay valid for 24 hours by default.",
    examples: [{ graceSeconds: 3_600 }],
  });
