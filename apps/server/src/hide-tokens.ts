/** What every API token begins with. */
export const tokenScheme = 'ast_';

/** How many characters of a token may be shown again, to recognise it. */
export const shownLength = 8;

const tokenLike = new RegExp(`${tokenScheme}[0-9A-Za-z]{${shownLength},}`, 'g');

/** Whether a text contains what may be a token, or most of one. */
export function holdsToken(text: string): boolean {
  return text.search(tokenLike) !== -1;
}

/** Removes whatever may be a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text.replaceAll(tokenLike, `${tokenScheme}…`);
}
