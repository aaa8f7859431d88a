import { hash, randomInt } from 'node:crypto';
import {
  tokenChecksum,
  tokenDigits,
  tokenLengths,
  tokenSchemes,
} from '@animal-store/contract/token-form';

/**
 * The number of characters of a token that may be shown later, so that people recognize the token.
 */
const shownLength = 8;
const secretLength = tokenLengths.random + tokenLengths.checksum;
const wellFormed = new RegExp(`^[0-9A-Za-z]{${secretLength}}$`);

export const tokenLength = tokenSchemes.key.length + secretLength;

type TokenKind = keyof typeof tokenSchemes;

/**
 * Creates a token. It consists of the scheme (`ast_`, `aso_` or `asc_`), 30 random base-62
 * characters (178 bits), and their CRC-32 in six characters. Secret scanners can recognize a token
 * by its checksum, without a database.
 */
export function createToken(kind: TokenKind = 'key'): string {
  const digits = Array.from({ length: tokenLengths.random }, () => tokenDigits[randomInt(62)]);
  const random = digits.join('');
  return `${tokenSchemes[kind]}${random}${tokenChecksum(random)}`;
}

/**
 * Tells whether a text has the format of a token. Other texts are never looked up in the database.
 */
export function isToken(text: string, kind: TokenKind = 'key'): boolean {
  const scheme = tokenSchemes[kind];
  if (!text.startsWith(scheme) || !wellFormed.test(text.slice(scheme.length))) return false;
  const random = text.slice(scheme.length, -tokenLengths.checksum);
  return text.endsWith(tokenChecksum(random));
}

/**
 * Returns the hash under which a token is stored. A fast hash without salt is enough, because the
 * 178 random bits of a token cannot be guessed like a password.
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export function tokenPrefix(token: string): string {
  return token.slice(0, shownLength);
}
