import { tokenLike } from '@animal-store/contract/token-form';

/** Removes everything that looks like a token from a text, before it is shown or logged. */
export function hideTokens(text: string): string {
  return text.replaceAll(tokenLike, '$1…');
}
