import { expect, test } from 'vitest';
import { readSearchTerm } from './search-term.ts';

test('what somebody typed is looked for as it is', () => {
  expect(readSearchTerm('  Nordic ')).toEqual({ text: 'Nordic' });
  expect(readSearchTerm('ast_1a2B')).toEqual({ text: 'ast_1a2B' });
});

test('of a whole token only what is shown of it is looked for', () => {
  const { text, hint } = readSearchTerm(`Bearer ast_1a2B${'x'.repeat(32)}`);
  expect(text).toBe('ast_1a2B');
  expect(hint).toContain('the rest is not sent');
});

test("of an operator's token no more is looked for, either, and of a session's nothing", () => {
  expect(readSearchTerm(`aso_${'0'.repeat(36)}`).text).toBe('aso_0000');
  expect(readSearchTerm(`asc_${'0'.repeat(36)}`).text).toBe('');
});

test.each([
  ['ast_', 'Go on'],
  ['ast_12', 'Go on'],
  ['ast_1-2', 'only letters and digits'],
])('a start of a token such as %s gets a hint', (typed, hint) => {
  expect(readSearchTerm(typed).hint).toContain(hint);
});
