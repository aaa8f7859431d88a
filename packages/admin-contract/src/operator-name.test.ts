import { expect, test } from 'vitest';
import { lookOfName, OperatorName } from './operator-name.ts';

test.each([
  'ADMIN_TOKEN',
  'admin token',
  'Аdmin-Tоken',
  'ＡＤＭＩＮ＿ＴＯＫＥＮ',
  'local user',
  'Local\u200bUser',
])('refuses the operator name %s, which looks like a reserved name', (name) => {
  expect(OperatorName.safeParse(name).error?.issues[0]?.message).toContain('are reserved');
});

test.each(['Ann', 'Local users', 'Анна', '李'])('accepts the operator name %s', (name) => {
  expect(OperatorName.parse(name)).toBe(name);
});

test.each([
  ['Ann', 'Аnn'],
  ['Ann', 'ANN '],
  ['Zoë', 'Zoe'],
])('the names %s and %s look alike', (one, other) => {
  expect(lookOfName(one)).toBe(lookOfName(other));
});

test('different names look different', () => {
  const names = ['Ann', 'Anna', 'Anja', 'Анна', 'Bob', '李', '王'];
  expect(new Set(names.map(lookOfName)).size).toBe(names.length);
});
