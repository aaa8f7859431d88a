import { expect, test } from 'vitest';
import { lookOfName, OperatorName } from './operator-name.ts';

test.each([
  'ADMIN_TOKEN',
  'admin token',
  'Аdmin-Tоken',
  'ＡＤＭＩＮ＿ＴＯＫＥＮ',
  'local user',
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
])('lookOfName returns the same text for the similar names %s and %s', (one, other) => {
  expect(lookOfName(one)).toBe(lookOfName(other));
});

test('lookOfName returns different texts for names that look different', () => {
  const names = ['Ann', 'Anna', 'Anja', 'Анна', 'Bob', '李', '王'];
  expect(new Set(names.map(lookOfName)).size).toBe(names.length);
});
