import type { Operator } from '@animal-store/contract/admin';
import { formatFields, formatTable } from './table.ts';
import { toTime } from './to-time.ts';

/** A list of operators as a table. */
export function showOperators(operators: readonly Operator[]): string {
  if (operators.length === 0) return 'There are no operators.\n';
  return formatTable(
    ['ID', 'NAME', 'ROLE', 'STATE', 'TOKENS', 'EXPIRES'],
    operators.map(({ id, name, role, state, tokens, expiresAt }) => [
      id,
      name,
      role,
      state,
      tokens.map(({ prefix }) => `${prefix}…`).join(' ') || '-',
      expiresAt === null ? 'never' : toTime(expiresAt),
    ]),
  );
}

/** One operator. */
export function showOperator(operator: Operator): string {
  const { id, name, role, state, createdAt, expiresAt, revokedAt, tokens } = operator;
  return formatFields([
    ['Id', id],
    ['Name', name],
    ['Role', role],
    ['State', revokedAt === null ? state : `revoked ${toTime(revokedAt)}`],
    ['Created', toTime(createdAt)],
    ['Expires', expiresAt === null ? 'never' : toTime(expiresAt)],
    ...tokens.map((token, index) => {
      const until =
        token.expiresAt === null ? '' : `  replaced, valid until ${toTime(token.expiresAt)}`;
      return [index === 0 ? 'Tokens' : '', `${token.prefix}…${until}`] as const;
    }),
  ]);
}
