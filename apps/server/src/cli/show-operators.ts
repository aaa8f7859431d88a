import type { IssuedOperator, Operator } from '@animal-store/contract/admin';
import { formatFields, formatTable } from './format-table.ts';
import { toExpiry, toTime } from './format-time.ts';
import { showToken, tokenFields, tokensCell, toState } from './show-tokens.ts';

/** A list of operators as a table. */
export function showOperators(operators: readonly Operator[]): string {
  if (operators.length === 0) return 'There are no operators.\n';
  return formatTable(operators, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    ROLE: ({ role }) => role,
    STATE: ({ state }) => state,
    TOKENS: ({ tokens }) => tokensCell(tokens),
    EXPIRES: ({ expiresAt }) => toExpiry(expiresAt),
  });
}

/** One operator. */
export function showOperator(operator: Operator): string {
  return formatFields([
    ['Id', operator.id],
    ['Name', operator.name],
    ['Role', operator.role],
    ['State', toState(operator)],
    ['Created', toTime(operator.createdAt)],
    ['Expires', toExpiry(operator.expiresAt)],
    ...tokenFields(operator.tokens),
  ]);
}

/** An operator with its new token. */
export function showIssuedOperator({ operator, token }: IssuedOperator): string {
  return `${showOperator(operator)}\n${showToken(token)}`;
}
