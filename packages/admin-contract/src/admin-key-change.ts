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
    .describe('Says who or what the key is for; `null` removes the name.'),
  account: labels.account
    .unwrap()
    .nullable()
    .optional()
    .describe(
      'Your own reference for a customer, as for a new key; `null` removes the key from its account.',
    ),
  expiresAt: Expiry.nullable()
    .optional()
    .describe(
      'When the key expires: a time in the future, with a UTC offset, before the year 10000; `null` if the key never expires.',
    ),
  plan: Plan.optional(),
  /**
   * The limits of an Enterprise key. They are required when the API key changes to Enterprise, and
   * refused when the API key has another plan after the change.
   */
  quota: OwnQuota.optional(),
  scopes: GivenScopes.describe(
    'The new scopes of the key. A key in a web page should be read-only.',
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
      'A change of a key. A property that is missing in the request does not change; `null` removes a name, an account or an expiry.',
    minProperties: 1,
    // A body with a quota and a plan is valid only if the plan is `enterprise`.
    dependentSchemas: { quota: { properties: { plan: { const: 'enterprise' } } } },
    examples: [{ plan: 'business' }],
  });

export type KeyChange = z.output<typeof KeyChange>;
