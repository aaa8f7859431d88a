import { z } from 'zod';
import { timestamp } from './admin-fields.ts';

export const exampleSuspension = { at: '2026-12-01T09:00:00.000Z', reason: 'Invoice 4711 is open' };

/** The schema of a suspension: when and why an API key or an account was suspended. */
export const Suspension = z
  .object({
    at: timestamp.describe('When the key or account was suspended.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'The reason that the operator gave. Callers cannot see the reason. Tokens in the text are hidden.',
      ),
  })
  .meta({
    id: 'Suspension',
    description: 'When and why the key or account was suspended.',
    examples: [exampleSuspension],
  });

export type Suspension = z.output<typeof Suspension>;
