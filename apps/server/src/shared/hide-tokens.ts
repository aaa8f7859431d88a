/** What every token begins with: those of API keys, of operators, and of operators' sessions. */
export const tokenSchemes = { key: 'ast_', operator: 'aso_', session: 'asc_' } as const;

/** How many characters of a token may be shown again, to recognise it. */
export const shownLength = 8;

const tokenLike = new RegExp(
  `(${Object.values(tokenSchemes).join('|')})[0-9A-Za-z]{${shownLength},}`,
  'g',
);

/** Whether a text contains what may be a token, or most of one. */
export function holdsToken(text: string): boolean {
  return text.search(tokenLike) !== -1;
}

/** Removes everything that looks like a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text.replaceAll(tokenLike, '$1…');
}
