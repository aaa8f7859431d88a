import { pageLimit } from '@animal-store/contract';
import { Name, PageCursor, PageLimit } from '@animal-store/contract/internal';
import { z } from 'zod';
import {
  Counted,
  count,
  KeyToken,
  oneOf,
  PastInstant,
  PathId,
  Plan,
  timestamp,
} from './admin-fields.ts';
import { exampleKey, KeyPath, KeyQuota } from './admin-key.ts';
import { OperatorPath, OperatorRole } from './admin-operator.ts';
import { KeyScopes } from './admin-scopes.ts';
import { Suspension } from './admin-suspension.ts';
import { Label } from './label-schema.ts';
import { startsBeforeEnd } from './period.ts';

/** The minimum time for which an audit entry is kept, in days. */
export const auditRetentionDays = 400;

/** The actions that the audit log records. */
export const auditActions = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'key.suspended',
  'key.resumed',
  'key.unbanned',
  'account.changed',
  'account.suspended',
  'account.resumed',
  'ban.started',
  // The service no longer records the end of a ban. The contract still lists `ban.ended`, because
  // old entries with this action stay in the audit log until they expire.
  'ban.ended',
  'operator.created',
  'operator.rotated',
  'operator.revoked',
] as const;

/** The kinds of actors in the audit log. */
export const auditActorTypes = ['operator', 'admin_token', 'local_user', 'system'] as const;

const actorNames = auditActorTypes.filter((type) => type !== 'operator');
const actor = { error: `expected the id of an operator, ${actorNames.join(' or ')}` };

export const AuditAction = oneOf(auditActions).meta({
  id: 'AuditAction',
  description:
    'Says what happened. A ban ends at the `bannedUntil` of the entry `ban.started`. If an operator ends the ban earlier, there is an entry `key.unbanned`. Only earlier versions recorded `ban.ended`.',
});

export type AuditAction = z.output<typeof AuditAction>;

export const AuditActorType = z.enum(auditActorTypes).meta({
  id: 'AuditActorType',
  description:
    'The kind of the actor. `operator`: a named operator. `admin_token`: anyone who uses the `ADMIN_TOKEN`. `local_user`: the user who runs the service with an embedded database, through its Unix socket. `system`: the service itself, which begins bans.',
});

export type AuditActorType = z.output<typeof AuditActorType>;

const AuditActor = z
  .object({
    type: AuditActorType,
    id: z
      .uuid()
      .nullable()
      .describe('The `id` of the operator; `null` if the change was not made by a named operator.'),
    name: z.string().describe('The name of the operator, or of the kind of actor.'),
  })
  .meta({ id: 'AuditActor', description: 'Who acted.' });

const AuditSubject = z
  .object({
    type: z
      .enum(['key', 'operator', 'account'])
      .describe('What was changed or banned: a key, an operator or an account.'),
    id: z
      .uuid()
      .describe('The `id` of the key, the operator or the account. The id never changes.'),
    name: z.string().nullable().describe('The name of the key or operator after the change.'),
    account: z
      .string()
      .nullable()
      .describe(
        'For a key: the account of the key after the change. For an account: the name of the account.',
      ),
  })
  .meta({ id: 'AuditSubject', description: 'What the entry is about.' });

export const AuditState = z
  .object({
    name: z.string().nullable().describe('The name of the key or operator.'),
    account: z.string().nullable().describe('The account of the key.'),
    plan: Plan,
    quota: KeyQuota,
    scopes: KeyScopes.describe('The scopes of the key.'),
    role: OperatorRole,
    expiresAt: timestamp
      .nullable()
      .describe('When the key or operator expires; `null` if it never expires.'),
    revokedAt: timestamp.nullable().describe('When the key or operator was revoked.'),
    suspension: Suspension.nullable().describe(
      'When and why the key or account was suspended; `null` if it is not suspended.',
    ),
    tokens: z.array(KeyToken).describe('The visible parts of the tokens of the key or operator.'),
    bannedUntil: timestamp
      .nullable()
      .describe('When the ban of the key ends; `null` if the key is not banned.'),
    strikes: count.describe('The strikes of the key: denied requests that count towards a ban.'),
    used: z
      .object({ minute: count, day: count })
      .describe(
        'How many requests were counted in the current minute and day before an operator reset the usage.',
      ),
  })
  .partial()
  .meta({
    id: 'AuditState',
    description: 'The changed properties. Properties that did not change are missing.',
  });

export type AuditState = z.output<typeof AuditState>;

const exampleAuditEntry = {
  id: 4_711,
  at: '2026-11-21T09:30:00.000Z',
  actor: { type: 'operator', id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Ann' },
  action: 'key.changed',
  subject: {
    type: 'key',
    id: exampleKey.id,
    name: exampleKey.name,
    account: exampleKey.account,
  },
  before: { plan: 'free', quota: { perMinute: 60, perDay: 1_000 } },
  after: { plan: 'pro', quota: { perMinute: 300, perDay: 10_000 } },
  requestId: '2c1d6d0e-7c1f-4f0e-9a3e-0d6f7c1f4f0e',
  reason: 'Contract 2026-118',
};

export const AuditEntry = z
  .object({
    id: z.int().min(1).describe('The id of the entry.'),
    at: timestamp.describe(
      'The time of the change, by the clock of the database. The start of a ban has the time of the clock of Redis. If one replica began the ban while Redis was unavailable, the start has the time of the clock of this replica.',
    ),
    actor: AuditActor,
    action: AuditAction,
    subject: AuditSubject,
    before: AuditState,
    after: AuditState,
    requestId: z
      .string()
      .nullable()
      .describe(
        'The `X-Request-Id` of the request that caused the change; `null` if the service itself made the change.',
      ),
    reason: z
      .string()
      .nullable()
      .describe(
        'The reason that the operator gave, or a note that one replica began the ban while Redis was unavailable.',
      ),
  })
  .meta({
    id: 'AuditEntry',
    description: 'A change by an operator, or the start of a ban.',
    examples: [exampleAuditEntry],
  });

export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditEntries = z.array(AuditEntry).meta({
  id: 'AuditEntries',
  description: 'A page of the audit log, ordered from the newest entry to the oldest.',
  examples: [[exampleAuditEntry]],
});

const AuditActorFilter = z
  .union([z.enum(actorNames), PathId], actor)
  .describe('The `id` of an operator, or a kind of actor without an `id`.');

/** The schema of the query of the audit log: filters and page. */
export const ListAuditQuery = z
  .object({
    limit: PageLimit.default(pageLimit.default).meta({
      description: 'The largest number of entries to return.',
      examples: [50],
    }),
    keyId: KeyPath.shape.keyId.optional().meta({
      description: 'Lists only entries about this key.',
      examples: [exampleKey.id],
    }),
    operatorId: OperatorPath.shape.operatorId.optional().meta({
      description:
        'Lists only entries about this operator. To find the actions of an operator, use `actor`.',
      examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    }),
    actor: AuditActorFilter.optional().meta({
      description: `Lists only actions of this actor: the \`id\` of an operator, or one of ${actorNames.join(', ')}.`,
      examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    }),
    action: AuditAction.optional().meta({
      description: 'Lists only entries of this action.',
      examples: ['key.revoked'],
    }),
    account: Name.optional().meta({
      description:
        'Lists only entries about this account, and about keys that belonged to this account after the change that the entry records.',
      examples: [exampleKey.account],
    }),
    search: Label.optional().meta({
      description:
        'Lists only entries that contain this text (case-insensitive) in the reason, in the name of what was changed, or in the name of who changed it.',
      examples: ['contract 2026-118'],
    }),
    from: PastInstant.optional().meta({
      description: 'Lists only entries from this time on.',
      examples: ['2026-11-21T00:00:00Z'],
    }),
    to: PastInstant.optional().meta({
      description: 'Lists only entries before this time.',
      examples: ['2026-11-22T00:00:00Z'],
    }),
    count: Counted,
    cursor: PageCursor.optional(),
  })
  .check(startsBeforeEnd);

/** The filters of the audit log, without the parameters that choose a page. */
export type AuditFilter = Omit<z.output<typeof ListAuditQuery>, 'limit' | 'count' | 'cursor'>;
