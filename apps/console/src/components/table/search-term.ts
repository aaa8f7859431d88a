/** A search term, and a hint for the operator who typed it. */
export interface SearchTerm {
  readonly text: string;
  readonly hint?: string;
}

/**
 * Converts typed text to a search term: a name, an account, an id, or a token that somebody has
 * found.
 */
export function readSearchTerm(typed: string): SearchTerm {
  const text = typed.trim();
  if (/asc_[0-9A-Za-z]{5,}/.test(text)) {
    return {
      text: '',
      hint: 'This is the token of a session, which cannot be searched. To end the session, log out its operator.',
    };
  }
  // Only the prefix and the first four characters of a token are kept. The rest is secret, and must
  // not get into an address or a log.
  const [shown, scheme] = /as([ot])_[0-9A-Za-z]{4}/.exec(text) ?? [];
  if (shown !== undefined) {
    const isLonger = /as[ot]_[0-9A-Za-z]{5,}/.test(text);
    const whose =
      scheme === 'o'
        ? 'This is the token of an operator. Its first 8 characters are enough: no more is sent.'
        : 'The first 8 characters of a token are enough: the rest is not sent.';
    return { text: shown, ...((isLonger || scheme === 'o') && { hint: whose }) };
  }
  if (!text.startsWith('ast_')) return { text };
  return {
    text,
    hint: /^ast_[0-9A-Za-z]*$/.test(text)
      ? 'Continue: with 4 characters after ast_, the search finds the key of a token.'
      : 'A token has only letters and digits after ast_.',
  };
}
