import type { z } from 'zod';
import { Expiry, Plan } from './admin-fields.ts';
import { labels, noQuota, OwnQuota } from './admin-new-key.ts';
import { GivenScopes } from './admin-scopes.ts';
import { strictObject } from './strict-object.ts';

const change = { error: 'expected one or more of name, account, expiresAt, plan, quota, scopes' };

export const KeyChange = strictObject({
  name: labels.name
    .nullable()
    .optional()
    .describe('Who or what the key is for; `null` for nothing.'),
  account: labels.account
    .unwrap()
    .nullable()
    .optional()
    .describe('A reference of your own, as of a new key; `null` for none.'),
  expiresAt: Expiry.nullable()
    .optional()
    .describe(
      'When the key expires: a time in the future, with its offset, before the year 10000; `null` for never.',
    ),
  plan: Plan.optional(),
  /** Required where the key becomes Enterprise; refused where it is not Enterprise afterwards. */
  quota: OwnQuota.optional(),
  scopes: GivenScopes.describe(
    'What the key may do from now on, in place of what it was allowed. A key that browsers see must only read.',
  ).optional(),
})
  .refine((members) => Object.values(members).some((member) => member !== undefined), change)
  .refine(({ plan, quota }) => quota === undefined || plan === undefined || plan === 'enterprise', {
    path: ['quota'],
    ...noQuota,
  })
  .meta({
    id: 'KeyChange',
    description:
      'A change of a key. Members that are left out stay as they are; `null` removes a name, an account or an expiry.',
    minProperties: 1,
    // Where a plan comes with numbers, it is the one that takes them.
    dependentSchemas: { quota: { properties: { plan: { const: 'enterprise' } } } },
    examples: [{ plan: 'business' }],
  });

export type KeyChange = z.output<typeof KeyChange>;
