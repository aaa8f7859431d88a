import { z } from 'zod';
import { exampleToken, newToken, timestamp } from './admin-fields.ts';
import { exampleOperator, OperatorRole } from './admin-operator.ts';
import { operatorActiveHeader } from './admin-routes.ts';

/**
 * The maximum length of a session. It ends after 30 minutes without use, and after a working day of
 * 8 hours at the latest.
 */
export const sessionLifetime = { idleSeconds: 30 * 60, maxSeconds: 8 * 3_600 } as const;

const exampleSession = {
  operator: { id: exampleOperator.id, name: exampleOperator.name, role: 'viewer' },
  operations: ['listKeys', 'getKey'],
  usageKeptSeconds: { minute: 172_800, hour: 7_776_000, day: 34_560_000 },
  expiresAt: '2026-11-21T09:30:00.000Z',
};

const SessionOperator = z
  .object({
    id: z.uuid().nullable().describe('The `id` of the operator; `null` for the `ADMIN_TOKEN`.'),
    name: z.string().describe('The name of the operator.'),
    role: OperatorRole,
  })
  .meta({ id: 'SessionOperator', description: 'The operator of the session.' });

const keptSeconds = z.int().min(1);

const UsageKeptSeconds = z
  .object({ minute: keptSeconds, hour: keptSeconds, day: keptSeconds })
  .meta({
    id: 'UsageKeptSeconds',
    description:
      'For how many seconds the service stores usage, by the length of the buckets. The settings of the service determine the numbers.',
  });

export type UsageKeptSeconds = z.output<typeof UsageKeptSeconds>;

export const Session = z
  .object({
    operator: SessionOperator,
    operations: z
      .array(z.string())
      .describe(
        'The operations that the role allows, by their `operationId`. A page can hide all other operations.',
      ),
    usageKeptSeconds: UsageKeptSeconds.describe(
      'For how many seconds the service stores usage, by the length of the buckets. Reports contain no rows for older buckets, so a page should not show such buckets as 0.',
    ),
    expiresAt: timestamp.describe(
      `When the session ends, unless a request extends it. A request with \`${operatorActiveHeader}: true\` extends the session, but not beyond 8 hours after its start.`,
    ),
  })
  .meta({ id: 'Session', description: 'A session of an operator.', examples: [exampleSession] });

export type Session = z.output<typeof Session>;

export const IssuedSession = z
  .object({
    session: Session,
    token: newToken('asc', 'The token of the session. Send it as `Authorization: Bearer <token>`.'),
  })
  .meta({
    id: 'IssuedSession',
    description: 'A session that has just begun, with its token.',
    examples: [{ session: exampleSession, token: exampleToken('asc') }],
  });

export type IssuedSession = z.output<typeof IssuedSession>;
