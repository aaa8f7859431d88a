import { z } from 'zod';
import { Name } from '../name-schema.ts';
import { Expiry, KeyToken, keyStates } from './admin-key.ts';
import { strictObject } from './strict-object.ts';

/** The roles of operators. Each may do what the ones before it may. */
export const operatorRoles = ['viewer', 'operator', 'owner'] as const;

const role = { error: `expected one of ${operatorRoles.join(', ')}` };
const state = { error: `expected one of ${keyStates.join(', ')}` };
const operatorId = { error: 'expected a UUID' };
const timestamp = z.iso.datetime();

export const OperatorRole = z
  .enum(operatorRoles, role)
  .describe(
    'What an operator may do. `viewer`: read. `operator`: also create and change keys. `owner`: also manage operators.',
  );

/** What an operator may do. */
export type OperatorRole = z.output<typeof OperatorRole>;

export const OperatorState = z
  .enum(keyStates, state)
  .describe('The state of an operator. Only an active one is admitted.');

export const NewOperator = strictObject({
  name: Name.describe('Whose token it is. The audit log shows it.'),
  role: OperatorRole,
  expiresAt: Expiry.describe(
    'When the operator expires: a time in the future, with its offset, before the year 10000. Never if it is left out.',
  ).optional(),
}).meta({
  description: 'What creates an operator.',
  examples: [{ name: 'Ann', role: 'operator', expiresAt: '2027-02-19T09:00:00Z' }],
});

/** What creates an operator. */
export type NewOperator = z.output<typeof NewOperator>;

/** The operator that examples show. */
export const exampleOperator = {
  id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Ann',
  role: 'operator',
  state: 'active',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2027-02-19T09:00:00.000Z',
  revokedAt: null,
  tokens: [{ prefix: 'aso_0000', createdAt: '2026-11-21T09:00:00.000Z', expiresAt: null }],
};

export const Operator = z
  .object({
    id: z.uuid().describe('Identifies the operator, whatever its tokens are.'),
    name: z.string().describe('Whose token it is.'),
    role: OperatorRole,
    state: OperatorState,
    createdAt: timestamp.describe('When the operator was created.'),
    expiresAt: timestamp.nullable().describe('When the operator expires; `null` for never.'),
    revokedAt: timestamp.nullable().describe('When the operator was revoked, if it was.'),
    tokens: z
      .array(KeyToken)
      .describe(
        'The tokens that are valid as long as the operator is, the newest first: more than one while a replaced one still is.',
      ),
  })
  .meta({
    description: 'Somebody, or a program, that may use the admin API.',
    examples: [exampleOperator],
  });

/** Somebody, or a program, that may use the admin API. */
export type Operator = z.output<typeof Operator>;

export const Operators = z
  .array(Operator)
  .meta({ description: 'All operators, the newest first.', examples: [[exampleOperator]] });

/** The example operator with its token, which is nobody's: its checksum is wrong. */
export const exampleIssuedOperator = {
  operator: exampleOperator,
  token: `aso_${'0'.repeat(36)}`,
};

export const IssuedOperator = z
  .object({
    operator: Operator,
    token: z.string().meta({
      description: 'What the operator sends as `Authorization: Bearer <token>`.',
      pattern: '^aso_[0-9A-Za-z]{36}$',
    }),
  })
  .meta({
    description:
      'An operator with a token that was just created. The token is shown here and never again.',
    examples: [exampleIssuedOperator],
  });

/** An operator with a token that was just created. */
export type IssuedOperator = z.output<typeof IssuedOperator>;

/** The id of an operator, in lower case, as in the path of a key. */
export const OperatorPath = z.object({
  operatorId: z
    .uuid(operatorId)
    .toLowerCase()
    .meta({ description: 'The `id` of the operator.', examples: [exampleOperator.id] }),
});
