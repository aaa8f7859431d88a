import { maxLimit } from '@animal-store/contract/plan';
import { z } from 'zod';
import {
  exampleToken,
  keyStates,
  lifetime,
  newToken,
  oneOf,
  PathId,
  Plan,
  timestamp,
} from './admin-fields.ts';
import { KeyScopes } from './admin-scopes.ts';
import { Suspension } from './admin-suspension.ts';

const limit = { error: `expected an integer from 1 to ${maxLimit}` };

export const KeyState = oneOf(keyStates).meta({
  id: 'KeyState',
  description:
    'The state of a key. Only an active one is admitted. A suspended one can be resumed: it is suspended itself (`suspension`), or its account is (`accountSuspension`), or both. A key that has expired or was revoked shows that, whether or not it is suspended as well.',
});

export type KeyState = z.output<typeof KeyState>;

/** A number of requests that a window may admit. */
export const keyLimit = z.int(limit).min(1, limit).max(maxLimit, limit);

/** The numbers of a key. */
export const limits = {
  perMinute: keyLimit.describe('Requests in a window of 60 seconds.'),
  perDay: keyLimit.describe('Requests in a window of 86,400 seconds.'),
};

export const KeyQuota = z.object(limits).meta({
  id: 'Quota',
  description: "The numbers that hold: the plan's, or an Enterprise key's own.",
});

/** The plan that holds for a key. */
const PlanInForce = z
  .object({
    subject: z
      .enum(['key', 'account'])
      .describe(
        'Whose plan it is. `account`: that of its account, whose windows all of its keys share; its own rests. `key`: its own.',
      ),
    plan: Plan,
    quota: KeyQuota,
  })
  .meta({ id: 'PlanInForce', description: 'The plan that holds for a key, and its numbers.' });

export const exampleKey = {
  id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  name: 'acme',
  account: 'C-17',
  plan: 'pro',
  quota: { perMinute: 300, perDay: 10_000 },
  inForce: { subject: 'key', plan: 'pro', quota: { perMinute: 300, perDay: 10_000 } },
  scopes: ['pets:read', 'pets:write'],
  state: 'active',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2027-02-19T09:00:00.000Z',
  revokedAt: null,
  suspension: null,
  accountSuspension: null,
  lastUsedAt: '2026-11-21T09:30:00.000Z',
  lastRefusedAt: null,
  tokens: [{ prefix: 'ast_0000', createdAt: '2026-11-21T09:00:00.000Z', expiresAt: null }],
};

/** A key as operators see it. Every member is there; `null` stands for what the key does not have. */
export const Key = z
  .object({
    id: z.uuid().describe('Identifies the key, whatever its tokens are.'),
    name: z.string().nullable().describe('Who or what the key is for.'),
    account: z
      .string()
      .nullable()
      .describe("The operator's own reference, such as a customer number."),
    plan: Plan.describe('The plan of the key itself. It rests while its account has one.'),
    quota: KeyQuota.describe('The numbers of its own plan.'),
    inForce: PlanInForce,
    scopes: KeyScopes.describe('What the key may do. A key that browsers see must only read.'),
    state: KeyState,
    suspension: Suspension.nullable().describe(
      'Since when and why the key is suspended itself; `null` if it is not.',
    ),
    accountSuspension: Suspension.nullable().describe(
      'Since when and why the account of the key is suspended, and all of its keys with it; `null` if it is not.',
    ),
    lastUsedAt: timestamp
      .nullable()
      .describe(
        'When the key was last used, to within a minute, a few seconds after it; `null` if it never was.',
      ),
    lastRefusedAt: timestamp
      .nullable()
      .describe(
        'When a request with a token of the key was last refused because the key was suspended, revoked or expired, or the token replaced: to within a minute; `null` if none was. After a leak it tells whether the token is still tried.',
      ),
    ...lifetime('key'),
  })
  .meta({
    id: 'Key',
    description: 'An API key. Every member is there; `null` stands for what the key does not have.',
    examples: [exampleKey],
  });

export type Key = z.output<typeof Key>;

export const exampleIssuedKey = {
  key: { ...exampleKey, lastUsedAt: null },
  token: exampleToken('ast'),
};

export const IssuedKey = z
  .object({
    key: Key,
    token: newToken('ast', 'What callers send as `Authorization: Bearer <API_KEY>`.'),
  })
  .meta({
    id: 'IssuedKey',
    description:
      'A key with a token that was just created. The token is shown here and never again.',
    examples: [exampleIssuedKey],
  });

export type IssuedKey = z.output<typeof IssuedKey>;

/** The id of a key. */
export const KeyPath = z.object({
  keyId: PathId.meta({ description: 'The `id` of the key.', examples: [exampleKey.id] }),
});

/** Tells whether a value can be the id of a key. */
export function isKeyId(value: unknown): value is string {
  return KeyPath.shape.keyId.safeParse(value).success;
}
