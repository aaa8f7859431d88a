import { z } from 'zod';
import { strictObject } from './strict-object.ts';

/**
 * The bounds and the default of the grace period, in seconds. Earlier tokens stay valid for this
 * time after a rotation.
 */
export const gracePeriod = { min: 0, max: 30 * 86_400, default: 86_400 } as const;

const grace = { error: `expected an integer from ${gracePeriod.min} to ${gracePeriod.max}` };

/** The schema of the body of a rotation. A request without a body is valid. */
export const Rotation = strictObject({
  graceSeconds: z
    .int(grace)
    .min(gracePeriod.min, grace)
    .max(gracePeriod.max, grace)
    .default(gracePeriod.default)
    .describe(
      `How long the earlier tokens stay valid, in seconds: ${gracePeriod.default} by default, at most 30 days. With 0, they become invalid immediately. If an earlier rotation has already set the expiry of a token, this expiry is never extended.`,
    ),
})
  .prefault({})
  .meta({
    id: 'Rotation',
    description:
      "The body that replaces a key's tokens by a new token. The earlier tokens stay valid for 24 hours by default.",
    examples: [{ graceSeconds: 3_600 }],
  });
