import { expect, test } from 'vitest';
import { readSearchTerm } from './search-term.ts';

test.each([
  ['  Nordic ', 'Nordic', ''],
  ['ast_1a2B', 'ast_1a2B', ''],
  // If the operator pastes a whole token, the search only sends its first characters.
  [`Bearer ast_1a2B${'x'.repeat(32)}`, 'ast_1a2B', 'The rest is not sent'],
  [`aso_${'0'.repeat(36)}`, 'aso_0000', 'the token of an operator'],
  [`asc_${'0'.repeat(36)}`, '', 'the token of a session'],
  ['ast_12', 'ast_12', 'at least 4 characters'],
  ['ast_1-2', 'ast_1-2', 'only letters and digits'],
])('readSearchTerm converts the typed text %s to the search term "%s"', (typed, text, hint) => {
  const term = readSearchTerm(typed);
  expect(term.text).toBe(text);
  expect(term.hint ?? '').toMatch(hint === '' ? /^$/ : hint);
});
