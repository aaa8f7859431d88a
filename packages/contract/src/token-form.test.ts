import { expect, test } from 'vitest';
import { hideTokens, holdsToken, tokenDigits } from './token-form.ts';

/** A token without its prefix: 30 digits, and their CRC-32 in base 62. */
const secret = '0000000000000000000000000000002C8GjS';

test.each([
  ['a token', `ast_${secret}`, 'ast_…'],
  ['a token that was cut', `ast_${secret.slice(0, 16)}`, 'ast_…'],
  ['a token without its prefix', secret, '…'],
  ['a token inside a text', `was ${secret}, leaked`, 'was …, leaked'],
  ['a token with other letters around it', `Bearer%20${secret}x`, 'Bearer%…'],
  ['a token inside a long run of digits', tokenDigits + secret + tokenDigits, '…'],
  ['a token with another prefix', `key_${secret}`, 'key_…'],
])('hideTokens removes %s from a text', (_what, text, shown) => {
  expect(holdsToken(text)).toBe(true);
  expect(hideTokens(text)).toBe(shown);
});

test.each([
  ['36 digits with another checksum', `1${secret.slice(1)}`],
  ['a token without its prefix that was cut', secret.slice(1)],
  ['a long run of digits', tokenDigits.repeat(9)],
  ['a UUID', '7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10'],
  ['a SHA-256', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['a word that ends like a prefix', 'forecast_production'],
])('hideTokens does not change %s', (_what, text) => {
  expect(holdsToken(text)).toBe(false);
  expect(hideTokens(text)).toBe(text);
});
