import { planNames } from '@animal-store/contract/plan';
import { z } from 'zod';
import { newLifetime, Plan } from './admin-fields.ts';
import { limits } from './admin-key.ts';
import { GivenScopes } from './admin-scopes.ts';
import { Label } from './label-schema.ts';
import { strictObject } from './strict-object.ts';

/** The error for an API key that has limits of its own, although its plan has fixed limits. */
export const noQuota = {
  error: 'expected no value, because only Enterprise keys have their own limits',
};

const anyPlan = { error: `expected one of ${planNames.join(', ')}` };

export const OwnQuota = strictObject(limits).meta({
  id: 'OwnQuota',
  description: 'The limits of an Enterprise key.',
  examples: [{ perMinute: 5_000, perDay: 1_000_000 }],
});

/**
 * The schemas of the two fields by which people tell API keys apart: the name of the key, and its
 * account.
 */
export const labels = {
  name: Label.describe(
    'Says who or what the key is for. It need not be unique, and must contain no token.',
  ),
  account: Label.describe(
    'The account of the key: your own reference, such as a customer number. Several keys can have the same account. The name must contain no token and no invisible characters, must not be `.` or `..`, and is case-sensitive. The service removes white space at both ends, and converts letters to the Unicode form NFC.',
  ).optional(),
};

const newScopes = {
  scopes: GivenScopes.describe(
    'The scopes of the key. The default is all scopes. A key in a web page should be read-only.',
  ).optional(),
};

const NewPlanKey = strictObject({
  ...labels,
  plan: Plan.exclude(['enterprise'])
    .optional()
    .describe(
      'The name of a plan with fixed limits. You can omit the plan if the account has one. The key then gets `free` as its own plan, which applies as soon as the plan of the account is removed.',
    ),
  quota: z.never(noQuota).optional(),
  ...newScopes,
  ...newLifetime('key'),
})
  .refine(({ plan, account }) => plan !== undefined || account !== undefined, {
    path: ['plan'],
    ...anyPlan,
  })
  .meta({
    id: 'NewPlanKey',
    description: 'The body that creates a key with a plan that has fixed limits.',
    anyOf: [{ required: ['plan'] }, { required: ['account'] }],
    examples: [{ name: 'acme', plan: 'pro', expiresAt: '2027-02-19T09:00:00Z' }],
  });

const NewEnterpriseKey = strictObject({
  ...labels,
  plan: z.literal('enterprise').describe('The name of the plan.'),
  quota: OwnQuota,
  ...newScopes,
  ...newLifetime('key'),
}).meta({
  id: 'NewEnterpriseKey',
  description: 'The body that creates a key with its own limits.',
  examples: [{ name: 'acme', plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } }],
});

export const NewKey = z
  .discriminatedUnion('plan', [NewPlanKey, NewEnterpriseKey], {
    error: ({ code }) => (code === 'invalid_union' ? anyPlan.error : 'expected a JSON object'),
  })
  .meta({
    id: 'NewKey',
    description:
      'The body that creates a key. An Enterprise key needs its own limits; the other plans have fixed limits. A key of an account with a plan needs no plan.',
    discriminator: {
      propertyName: 'plan',
      mapping: {
        ...Object.fromEntries(
          NewPlanKey.shape.plan
            .unwrap()
            .options.map((plan) => [plan, '#/components/schemas/NewPlanKey']),
        ),
        enterprise: '#/components/schemas/NewEnterpriseKey',
      },
    },
  });

export type NewKey = z.output<typeof NewKey>;
