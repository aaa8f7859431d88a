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
    'The state of a key. Requests are admitted only with an active key. A suspended key can be resumed. If the state is `suspended`, then the key itself is suspended (`suspension`), or its account (`accountSuspension`), or both. If a suspended key has expired or was revoked, its state is `expired` or `revoked`.',
});

export type KeyState = z.output<typeof KeyState>;

/** The schema of a limit: the largest number of requests in a window. */
export const keyLimit = z.int(limit).min(1, limit).max(maxLimit, limit);

/** The schemas of the two limits of an API key: per minute and per day. */
export const limits = {
  perMinute: keyLimit.describe('How many requests are allowed in a window of 60 seconds.'),
  perDay: keyLimit.describe('How many requests are allowed in a window of 86,400 seconds.'),
};

export const KeyQuota = z.object(limits).meta({
  id: 'Quota',
  description:
    'The effective limits: the limits of the plan, or for Enterprise, the limits that were agreed with the customer.',
});

/** The schema of the plan that determines the limits of an API key. */
const PlanInForce = z
  .object({
    subject: z
      .enum(['key', 'account'])
      .describe(
        "Says whose plan applies to the key. `account`: the plan of the account, whose limits all keys of the account share. The key's own plan is then inactive. `key`: the key's own plan.",
      ),
    plan: Plan,
    quota: KeyQuota,
  })
  .meta({
    id: 'PlanInForce',
    description: 'The effective plan of a key, and the limits of this plan.',
  });

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

/**
 * The schema of an API key as operators see it. All properties are always present. A property is
 * `null` if the key has no such value.
 */
export const Key = z
  .object({
    id: z.uuid().describe('The id of the key. It stays the same when tokens change.'),
    name: z.string().nullable().describe('Says who or what the key is for.'),
    account: z
      .string()
      .nullable()
      .describe("The account of the key: the operators' own reference, such as a customer number."),
    plan: Plan.describe("The key's own plan. This plan is inactive while the account has a plan."),
    quota: KeyQuota.describe("The limits of the key's own plan."),
    inForce: PlanInForce,
    scopes: KeyScopes.describe('The scopes of the key. A key in a web page should be read-only.'),
    state: KeyState,
    suspension: Suspension.nullable().describe(
      'When and why the key itself was suspended; `null` if it is not suspended.',
    ),
    accountSuspension: Suspension.nullable().describe(
      'When and why the account of the key was suspended with all its keys; `null` if the account is not suspended.',
    ),
    lastUsedAt: timestamp
      .nullable()
      .describe(
        'When the key was last used, exact to a minute; `null` if the key was never used. A use is visible after a few seconds.',
      ),
    lastRefusedAt: timestamp
      .nullable()
      .describe(
        'When a request with a token of the key was last refused because the key was suspended, revoked or expired, or because the token was replaced. Exact to a minute; `null` if there was no such request. After a leak, this time shows whether someone still uses the token.',
      ),
    ...lifetime('key'),
  })
  .meta({
    id: 'Key',
    description:
      'An API key. Every property is present; `null` means that the key has no such value.',
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
    token: newToken('ast', 'The token, which callers send as `Authorization: Bearer <API_KEY>`.'),
  })
  .meta({
    id: 'IssuedKey',
    description:
      'A key with a token that was just created. The token is shown only in this response.',
    examples: [exampleIssuedKey],
  });

export type IssuedKey = z.output<typeof IssuedKey>;

/** The schema of an API key's id in a path. */
export const KeyPath = z.object({
  keyId: PathId.meta({ description: 'The `id` of the key.', examples: [exampleKey.id] }),
});

/** Returns whether a value has the form of an API key's id. */
export function isKeyId(value: unknown): value is string {
  return KeyPath.shape.keyId.safeParse(value).success;
}
