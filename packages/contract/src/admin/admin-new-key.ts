import { z } from 'zod';
import { Name } from '../name-schema.ts';
import { planNames } from '../plan.ts';
import { newLifetime, Plan } from './admin-fields.ts';
import { limits } from './admin-key.ts';
import { strictObject } from './strict-object.ts';

/** Why a key without numbers of its own is refused some. */
export const noQuota = { error: 'expected none: only Enterprise keys have numbers of their own' };

export const OwnQuota = strictObject(limits).meta({
  id: 'OwnQuota',
  description: 'The numbers of an Enterprise key.',
  examples: [{ perMinute: 5_000, perDay: 1_000_000 }],
});

/** What helps people tell keys apart. */
export const labels = {
  name: Name.describe('Who or what the key is for; need not be unique.').optional(),
  account: Name.describe(
    'A reference of your own, such as a customer number; need not be unique.',
  ).optional(),
};

const NewPlanKey = strictObject({
  ...labels,
  plan: Plan.exclude(['enterprise']).describe('The name of a plan that has its numbers.'),
  quota: z.never(noQuota).optional(),
  ...newLifetime('key'),
}).meta({
  id: 'NewPlanKey',
  description: 'What creates a key of a plan that has its numbers.',
  examples: [{ name: 'acme', plan: 'pro', expiresAt: '2027-02-19T09:00:00Z' }],
});

const NewEnterpriseKey = strictObject({
  ...labels,
  plan: z.literal('enterprise').describe('The name of the plan.'),
  quota: OwnQuota,
  ...newLifetime('key'),
}).meta({
  id: 'NewEnterpriseKey',
  description: 'What creates a key that brings its own numbers.',
  examples: [{ plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } }],
});

export const NewKey = z
  .discriminatedUnion('plan', [NewPlanKey, NewEnterpriseKey], {
    error: ({ code }) =>
      code === 'invalid_union'
        ? `expected one of ${planNames.join(', ')}`
        : 'expected a JSON object',
  })
  .meta({
    id: 'NewKey',
    description:
      'What creates a key. An Enterprise key brings its own numbers; the other plans have them.',
    discriminator: {
      propertyName: 'plan',
      mapping: {
        ...Object.fromEntries(
          NewPlanKey.shape.plan.options.map((plan) => [plan, '#/components/schemas/NewPlanKey']),
        ),
        enterprise: '#/components/schemas/NewEnterpriseKey',
      },
    },
  });

/** What creates a key. */
export type NewKey = z.output<typeof NewKey>;
