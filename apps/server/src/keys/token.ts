import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenSchemes } from '@animal-store/contract/token-form';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 30;
const checksumLength = 6;
/** How many characters of a token may be shown again, to recognise it. */
const shownLength = 8;
const wellFormed = new RegExp(`^[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** The length of an API key's token. */
export const tokenLength = tokenSchemes.key.length + secretLength + checksumLength;

type TokenKind = keyof typeof tokenSchemes;

/**
 * Makes a token: `ast_`, `aso_` or `asc_`, 30 base-62 characters of randomness (178 bits), then their CRC-32 in
 * six characters, so that secret scanners recognise a token without a database.
 */
export function createToken(kind: TokenKind = 'key'): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(62)]).join('');
  return `${tokenSchemes[kind]}${secret}${checksum(secret)}`;
}

/** Tells whether a text has the form of a token. Other texts never reach the database. */
export function isToken(text: string, kind: TokenKind = 'key'): boolean {
  const scheme = tokenSchemes[kind];
  if (!text.startsWith(scheme) || !wellFormed.test(text.slice(scheme.length))) return false;
  const secret = text.slice(scheme.length, -checksumLength);
  return text.endsWith(checksum(secret));
}

/**
 * The hash under which a token is stored. A fast hash without salt is enough: unlike a password, 178
 * random bits cannot be guessed.
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The first characters of a token, for display. */
export function tokenPrefix(token: string): string {
  return token.slice(0, shownLength);
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  while (digits.length < checksumLength) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
