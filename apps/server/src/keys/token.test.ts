import { expect, test } from 'vitest';
import { createToken, hashToken, isToken, tokenPrefix } from './token.ts';

// An example token from the time when the format was defined. Secret scanners rely on the format,
// so the tests fail if the format changes.
const token = 'ast_0000000000000000000000000000002C8GjS';

test('createToken returns "ast_", 30 base-62 characters and their CRC-32, and never returns the same token twice', () => {
  const tokens = Array.from({ length: 1_000 }, () => createToken());
  for (const token of tokens) {
    expect(token).toMatch(/^ast_[0-9A-Za-z]{36}$/);
    expect(isToken(token)).toBe(true);
  }
  expect(new Set(tokens).size).toBe(1_000);
  expect(isToken(token)).toBe(true);
});

test.each([
  ['another character', token.replace('2C8GjS', '3C8GjS')],
  ['a missing character', token.slice(0, -1)],
  ['an additional character', `${token}0`],
  ['another scheme', token.replace('ast_', 'tsa_')],
  ['a line break at its end', `${token}\n`],
])('isToken rejects a token with %s', (_, text) => {
  expect(isToken(text)).toBe(false);
});

test('hashToken returns the SHA-256 hash of a token, and tokenPrefix returns its first 8 characters', () => {
  expect(hashToken('ast_x')).toBe(
    '888553031e9a888fc25a12c93cbaf6ea920e9df2a082fb37a6f87fb0cc44aff3',
  );
  expect(tokenPrefix('ast_0123456789')).toBe('ast_0123');
});
