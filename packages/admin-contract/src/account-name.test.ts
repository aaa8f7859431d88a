import { expect, test } from 'vitest';
import { AccountName } from './label-schema.ts';

test.each([
  ['a name', 'Acme Ltd', 'Acme Ltd'],
  ['spaces at the ends', ' Acme\u3000', 'Acme'],
  ['a no-break space', '\u00a0Acme\u00a0Ltd', 'Acme Ltd'],
  ['several spaces', 'Acme \u2003 Ltd', 'Acme Ltd'],
  ['NFD', 'Acme\u0301', 'Acm\u00e9'],
  ['three dots', '...', '...'],
  ['Arabic', 'قطة صغيرة', 'قطة صغيرة'],
])('AccountName normalizes a name with %s: %j becomes %j', (_what, given, name) => {
  expect(AccountName.parse(given)).toBe(name);
});

test.each([
  ['a joiner', 'Acme\u200d', 'invisible'],
  ['the empty Braille pattern', 'Acme\u2800', 'invisible'],
  ['only a dot', ' .', 'other than "." and ".."'],
  ['only two dots', '..', 'other than "." and ".."'],
  ['only spaces', ' \u00a0', '1 to 255 characters'],
  ['a name that is too long in NFC', '\u0958'.repeat(128), '1 to 255 characters'],
  ['a token without its prefix', '0000000000000000000000000000002C8GjS', 'no token'],
])('AccountName refuses a name that is or contains %s', (_what, given, reason) => {
  expect(AccountName.safeParse(given).error?.issues.map(({ message }) => message)).toEqual([
    expect.stringContaining(reason),
  ]);
});
