import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const scheme = 'ast_';
const secretLength = 30;
const checksumLength = 6;
const wellFormed = new RegExp(`^${scheme}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** How many characters of a token may be shown again, to recognise it. */
const prefixLength = 8;

/**
 * Makes an API token: `ast_`, 30 base-62 characters of randomness (178 bits), then their CRC-32 in
 * six characters, so that secret scanners recognise a token without a database.
 */
export function createToken(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(62)]).join('');
  return `${scheme}${secret}${checksum(secret)}`;
}

/** Tells whether a text can be a token. Guesses that cannot never reach the database. */
export function isToken(text: string): boolean {
  if (!wellFormed.test(text)) return false;
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

const tokenLike = new RegExp(`${scheme}[0-9A-Za-z]{${prefixLength},}`, 'g');

/** Tells whether a text contains what may be a token, or most of one. */
export function holdsToken(text: string): boolean {
  return text.search(tokenLike) !== -1;
}

/** Removes whatever may be a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text.replaceAll(tokenLike, `${scheme}…`);
}

/** The first characters of a token, for display. */
export function tokenPrefix(token: string): string {
  return token.slice(0, prefixLength);
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
