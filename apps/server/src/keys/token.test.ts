import { describe, expect, test } from 'vitest';
import { createToken, hashToken, isToken, tokenPrefix } from './token.ts';

describe('a token', () => {
  test('is ast_, 30 base-62 characters and a checksum of 6', () => {
    expect(createToken()).toMatch(/^ast_[0-9A-Za-z]{36}$/);
  });

  test('is recognised by its checksum', () => {
    for (let i = 0; i < 1_000; i += 1) expect(isToken(createToken())).toBe(true);
  });

  test('is never created twice', () => {
    expect(new Set(Array.from({ length: 10_000 }, createToken)).size).toBe(10_000);
  });

  // Secret scanners rely on the format: this token is from the day it was decided.
  test('has the CRC-32 of its random part in base 62, most significant digit first', () => {
    expect(isToken('ast_0000000000000000000000000000002C8GjS')).toBe(true);
  });

  test.each([
    [
      'one character changed',
      (token: string) => `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`,
    ],
    ['one character less', (token: string) => token.slice(0, -1)],
    ['one character more', (token: string) => `${token}0`],
    ['another scheme', (token: string) => token.replace('ast_', 'tsa_')],
    ['the checksum of another', (token: string) => token.slice(0, -6) + createToken().slice(-6)],
    ['a line break at its end', (token: string) => `${token}\n`],
  ])('is not a token with %s', (_fault, spoil) => {
    expect(isToken(spoil(createToken()))).toBe(false);
  });

  test('is stored as SHA-256 and shown by its first characters', () => {
    expect(hashToken('ast_x')).toBe(
      '888553031e9a888fc25a12c93cbaf6ea920e9df2a082fb37a6f87fb0cc44aff3',
    );
    expect(tokenPrefix('ast_0123456789')).toBe('ast_0123');
  });
});
