import { planNames } from '@animal-store/contract/plan';
import { z } from 'zod';
import { newLifetime, Plan } from './admin-fields.ts';
import { limits } from './admin-key.ts';
import { GivenScopes } from './admin-scopes.ts';
import { Label } from './label-schema.ts';
import { strictObject } from './strict-object.ts';

/** Why a key without numbers of its own is refused some. */
export const noQuota = { error: 'expected none: only Enterprise keys have numbers of their own' };

const anyPlan = { error: `expected one of ${planNames.join(', ')}` };

export const OwnQuota = strictObject(limits).meta({
  id: 'OwnQuota',
  description: 'The numbers of an Enterprise key.',
  examples: [{ perMinute: 5_000, perDay: 1_000_000 }],
});

/** What helps people tell keys apart. */
export const labels = {
  name: Label.describe('Who or what the key is for; need not be unique. Holds no token.'),
  account: Label.describe(
    'A reference of your own, such as a customer number; need not be unique. Holds no token. A new one is stored without white space at its ends, in NFC, and has no invisible characters; letter case matters.',
  ).optional(),
};

const newScopes = {
  scopes: GivenScopes.describe(
    'What the key may do: everything if it is left out. A key that browsers see must only read.',
  ).optional(),
};

const NewPlanKey = strictObject({
  ...labels,
  plan: Plan.exclude(['enterprise'])
    .optional()
    .describe(
      'The name of a plan that has its numbers. It may be left out if the account has a plan: the key then gets `free`, which holds once that of the account is taken away.',
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
    description: 'What creates a key of a plan that has its numbers.',
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
  description: 'What creates a key that brings its own numbers.',
  examples: [{ name: 'acme', plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } }],
});

export const NewKey = z
  .discriminatedUnion('plan', [NewPlanKey, NewEnterpriseKey], {
    error: ({ code }) => (code === 'invalid_union' ? anyPlan.error : 'expected a JSON object'),
  })
  .meta({
    id: 'NewKey',
    description:
      'What creates a key. An Enterprise key brings its own numbers; the other plans have them. A key of an account that has a plan needs none.',
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
