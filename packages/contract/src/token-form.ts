/** What every token begins with: those of API keys, of operators, and of operators' sessions. */
export const tokenSchemes = { key: 'ast_', operator: 'aso_', session: 'asc_' } as const;

/**
 * How many characters after the scheme make a text a token, or too much of one. Whoever sees one
 * character less still has to guess 89 bits. Fewer would forbid names such as `forecast_production`.
 */
const minLength = 16;

/** Matches every token in a text, also one that was cut. */
export const tokenLike = new RegExp(
  `(${Object.values(tokenSchemes).join('|')})[0-9A-Za-z]{${minLength},}`,
  'g',
);

/** Tells whether a text contains what may be a token, or most of one. */
export function holdsToken(text: string): boolean {
  return text.search(tokenLike) !== -1;
}
