import { z } from 'zod';
import { exampleOperator, OperatorRole } from './admin-operator.ts';

/** How long a session lasts: it ends when it was not used for a while, and at the latest after a working day. */
export const sessionLifetime = { idleSeconds: 30 * 60, maxSeconds: 8 * 3_600 } as const;

const exampleSession = {
  operator: { id: exampleOperator.id, name: exampleOperator.name, role: 'viewer' },
  operations: ['listKeys', 'getKey'],
  expiresAt: '2026-11-21T09:30:00.000Z',
};

export const SessionOperator = z
  .object({
    id: z.uuid().nullable().describe('The `id` of the operator; `null` for the `ADMIN_TOKEN`.'),
    name: z.string().describe('The name of the operator.'),
    role: OperatorRole,
  })
  .describe('Whose session it is.');

export const Session = z
  .object({
    operator: SessionOperator,
    operations: z
      .array(z.string())
      .describe(
        'The operations that the role allows, by their `operationId`: a page need not offer others.',
      ),
    expiresAt: z.iso
      .datetime()
      .describe(
        'When the session ends unless it is used. Each use puts it off, but not beyond 8 hours after the start.',
      ),
  })
  .meta({ description: 'A session of an operator.', examples: [exampleSession] });

/** A session of an operator. */
export type Session = z.output<typeof Session>;

export const IssuedSession = z
  .object({
    session: Session,
    token: z.string().meta({
      description: 'What the session sends as `Authorization: Bearer <token>`.',
      pattern: '^asc_[0-9A-Za-z]{36}$',
    }),
  })
  .meta({
    description: 'A session that has just begun, with its token.',
    // A token that is nobody's: its checksum is wrong.
    examples: [{ session: exampleSession, token: `asc_${'0'.repeat(36)}` }],
  });

/** A session that has just begun, with its token. */
export type IssuedSession = z.output<typeof IssuedSession>;
