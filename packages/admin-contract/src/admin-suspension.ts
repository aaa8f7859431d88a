import { z } from 'zod';
import { timestamp } from './admin-fields.ts';

export const exampleSuspension = { at: '2026-12-01T09:00:00.000Z', reason: 'Invoice 4711 is open' };

/** Since when and why a key, or an account, is suspended. */
export const Suspension = z
  .object({
    at: timestamp.describe('When it was suspended.'),
    reason: z
      .string()
      .nullable()
      .describe('Why, if the operator said. Callers are not told. Tokens in it are hidden.'),
  })
  .meta({
    id: 'Suspension',
    description: 'Since when and why it is suspended.',
    examples: [exampleSuspension],
  });

export type Suspension = z.output<typeof Suspension>;
