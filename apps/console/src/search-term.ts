/** What is looked for, and what to tell whoever typed it. */
export interface SearchTerm {
  readonly text: string;
  readonly hint?: string;
}

/** What is shown of a token: its scheme and four characters. More of it must not get into an address or a log. */
const shownOfToken = /ast_[0-9A-Za-z]{4}/;

/** Reads what somebody typed into a search: a name, an account, an id, or a token that somebody has found. */
export function readSearchTerm(typed: string): SearchTerm {
  const text = typed.trim();
  if (/asc_[0-9A-Za-z]{5,}/.test(text)) {
    return {
      text: '',
      hint: 'This is the token of a session. Nothing finds it: log its operator out.',
    };
  }
  const [ofOperator] = /aso_[0-9A-Za-z]{4}/.exec(text) ?? [];
  if (ofOperator !== undefined) {
    return {
      text: ofOperator,
      hint: 'This is the token of an operator. Its first 8 characters are enough: no more is sent.',
    };
  }
  const [shown] = shownOfToken.exec(text) ?? [];
  if (shown !== undefined) {
    if (/ast_[0-9A-Za-z]{5,}/.test(text)) {
      return {
        text: shown,
        hint: 'The first 8 characters of a token are enough: the rest is not sent.',
      };
    }
    return { text };
  }
  if (/^ast_[0-9A-Za-z]{0,3}$/.test(text)) {
    return { text, hint: 'Go on: with 4 characters after ast_ it finds the key of a token.' };
  }
  if (/^ast_/.test(text)) {
    return { text, hint: 'A token has only letters and digits after ast_.' };
  }
  return { text };
}
