import type { Key, Operator } from '@animal-store/contract/admin';
import { type Field, formatFields, none } from './format-table.ts';
import { toTime } from './format-time.ts';

type Tokens = Key['tokens'];

/** Tokens in a cell of a table. */
export function tokensCell(tokens: Tokens): string {
  return tokens.map(({ prefix }) => `${prefix}…`).join(' ') || none;
}

/** Tokens as fields, one a line. */
export function tokenFields(tokens: Tokens): Field[] {
  return tokens.map(({ prefix, expiresAt }, index) => {
    const until = expiresAt === null ? '' : `  replaced, valid until ${toTime(expiresAt)}`;
    return [index === 0 ? 'Tokens' : '', `${prefix}…${until}`];
  });
}

/** A new token. The server cannot show it again. */
export function showToken(token: string): string {
  return `${formatFields([['Token', token]])}\nKeep the token: it is not shown again.\n`;
}

/** The state of a key or an operator, and since when it is revoked. */
export function toState({ state, revokedAt }: Pick<Key | Operator, 'state' | 'revokedAt'>): string {
  return revokedAt === null ? state : `revoked ${toTime(revokedAt)}`;
}
