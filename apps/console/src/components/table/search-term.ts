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
      hint: 'This is the token of a session, which cannot be searched. You can end sessions on the Operators page.',
    };
  }
  // Only the prefix and the first four characters of a token are kept. The rest is secret, and must
  // not get into an address or a log.
  const [shown, scheme] = /as([ot])_[0-9A-Za-z]{4}/.exec(text) ?? [];
  if (shown !== undefined) {
    const isLonger = /as[ot]_[0-9A-Za-z]{5,}/.test(text);
    const whose =
      scheme === 'o'
        ? 'This is the token of an operator. Only its first 8 characters are sent.'
        : 'The first 8 characters of a token are enough. The rest is not sent.';
    return { text: shown, ...((isLonger || scheme === 'o') && { hint: whose }) };
  }
  if (!text.startsWith('ast_')) return { text };
  return {
    text,
    hint: /^ast_[0-9A-Za-z]*$/.test(text)
      ? 'To find the key of a token, enter at least 4 characters after ast_.'
      : 'After ast_, a token has only letters and digits.',
  };
}
