import { expect, test } from 'vitest';
import { looksAlike, OperatorName } from './operator-name.ts';

test.each([
  'ADMIN_TOKEN',
  'admin token',
  'Аdmin-Tоken',
  'ＡＤＭＩＮ＿ＴＯＫＥＮ',
  // The two names after this comment contain Cyrillic and Greek capital letters. In lower case,
  // these letters do not look like Latin letters.
  'АDМIN_ТОКЕN',
  'ADΜΙΝ_ΤΟΚΕΝ',
  'ADMlN_T0KEN',
  'local user',
  'IocaI user',
  '1oca1 user',
  'Local\u200bUser',
])('OperatorName refuses %s, because it looks like a reserved name', (name) => {
  expect(OperatorName.safeParse(name).error?.issues[0]?.message).toContain('are reserved');
});

test.each(['Ann', 'Local users', 'Анна', '李'])('OperatorName accepts %s', (name) => {
  expect(OperatorName.parse(name)).toBe(name);
});

test.each([
  ['Ann', 'Аnn'],
  ['Ann', 'ANN '],
  ['Zoë', 'Zoe'],
  ['TOM', 'ТОМ'],
  ['Нина', 'нина'],
  ['Ian', 'lan'],
])('looksAlike finds that the names %s and %s look alike', (one, other) => {
  expect(looksAlike(one, other)).toBe(true);
});

test('looksAlike returns false for two names that look different', () => {
  const names = ['Ann', 'Anna', 'Anja', 'Анна', 'Bob', 'Mia', 'Mila', '李', '王'];
  for (const [index, name] of names.entries()) {
    const others = names.slice(index + 1);
    expect(others.filter((other) => looksAlike(name, other))).toEqual([]);
  }
});
