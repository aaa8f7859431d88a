import { z } from 'zod';
import {
  exampleToken,
  lifetime,
  newLifetime,
  newToken,
  oneOf,
  operatorStates,
  PathId,
  timestamp,
} from './admin-fields.ts';
import { Label } from './label-schema.ts';
import { OperatorName } from './operator-name.ts';
import { strictObject } from './strict-object.ts';

/** The roles of operators. Each role has all rights of the roles before it. */
export const operatorRoles = ['viewer', 'operator', 'owner'] as const;

export const OperatorRole = oneOf(operatorRoles).meta({
  id: 'OperatorRole',
  description:
    'What an operator may do. `viewer`: read. `operator`: also create and change keys. `owner`: also manage operators.',
});

export type OperatorRole = z.output<typeof OperatorRole>;

const OperatorState = oneOf(operatorStates).meta({
  id: 'OperatorState',
  description: 'The state of an operator. Only an active operator can use the admin API.',
});

export const NewOperator = strictObject({
  name: OperatorName.describe(
    'The name of the person or program that uses the token. The audit log shows this name, which must contain no token. A name that differs from the name of another active operator, but looks the same, is refused.',
  ),
  role: OperatorRole,
  ...newLifetime('operator'),
}).meta({
  id: 'NewOperator',
  description: 'The body that creates an operator.',
  examples: [{ name: 'Ann', role: 'operator', expiresAt: '2027-02-19T09:00:00Z' }],
});

export type NewOperator = z.output<typeof NewOperator>;

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
    id: z.uuid().describe('The id of the operator. It stays the same when tokens change.'),
    name: z.string().describe('The name of the person or program that uses the token.'),
    role: OperatorRole,
    state: OperatorState,
    ...lifetime('operator'),
  })
  .meta({
    id: 'Operator',
    description: 'A person or a program that may use the admin API.',
    examples: [exampleOperator],
  });

export type Operator = z.output<typeof Operator>;

export const Operators = z.array(Operator).meta({
  id: 'Operators',
  description: 'All operators, the newest first.',
  examples: [[exampleOperator]],
});

export const IssuedOperator = z
  .object({
    operator: Operator,
    token: newToken('aso', 'What the operator sends as `Authorization: Bearer <token>`.'),
  })
  .meta({
    id: 'IssuedOperator',
    description:
      'An operator with a token that was just created. The token is shown only in this response.',
    examples: [{ operator: exampleOperator, token: exampleToken('aso') }],
  });

export type IssuedOperator = z.output<typeof IssuedOperator>;

const exampleSession = {
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2026-11-21T09:30:00.000Z',
  tokenPrefix: 'aso_0000',
};

const OperatorSession = z
  .object({
    createdAt: timestamp.describe('When the session began.'),
    expiresAt: timestamp.describe('When the session ends, unless a request extends it.'),
    tokenPrefix: z
      .string()
      .describe('The first characters of the token that was exchanged for the session.'),
  })
  .meta({
    id: 'OperatorSession',
    description: 'A session of an operator, without its token.',
    examples: [exampleSession],
  });

/** A session of an operator, without its token. */
export type OperatorSession = z.output<typeof OperatorSession>;

export const OperatorSessions = z.array(OperatorSession).meta({
  id: 'OperatorSessions',
  description: 'The sessions of an operator, the newest first.',
  examples: [[exampleSession]],
});

/** The schema of the query that lists operators. */
export const ListOperatorsQuery = z.object({
  search: Label.optional().meta({
    description:
      'Lists only operators that match this text: the name contains it (case-insensitive), or a current or earlier token has these first 8 characters. Never send a whole token here.',
    examples: ['aso_0000'],
  }),
});

/** The schema of an operator's id in a path. */
export const OperatorPath = z.object({
  operatorId: PathId.meta({
    description: 'The `id` of the operator.',
    examples: [exampleOperator.id],
  }),
});
