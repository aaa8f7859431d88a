// This module finds the results of the search in /docs. It does not use the DOM, so that a test can
// run it without a browser.

/**
 * Returns the words of a text. Names such as `createPet` and `Next.js` are returned as a whole and
 * also as separate words.
 */
export const wordsOf = (text) =>
  (text.match(/[\p{L}\p{N}]+(?:\.\p{L}+)*/gu) ?? []).flatMap((word) => [
    ...new Set([word.replaceAll('.', ''), ...word.split(/\.|(?<=[a-z])(?=[A-Z])/)]),
  ]);

/** Creates a function that searches the headings of all pages. */
export function createSearch(MiniSearch, entries) {
  const index = new MiniSearch({
    idField: 'path',
    fields: ['title', 'anchor', 'page', 'text'],
    storeFields: ['title', 'page', 'path', 'text'],
    tokenize: wordsOf,
    searchOptions: { combineWith: 'AND', prefix: true, boost: { title: 6, anchor: 3, page: 2 } },
  });
  index.addAll(entries.map((entry) => ({ ...entry, anchor: entry.path.split('#')[1] ?? '' })));
  return (query) => search(index, query);
}

/** Common words that the search ignores, because most texts contain them. */
const fillers = new Set(
  'a an and are can do does for how i in is it my of on or the to what when which why with'.split(
    ' ',
  ),
);

/**
 * The number of letters from which on the search accepts misspellings in a word. Shorter words are
 * similar to too many other words.
 */
const minFuzzyLength = 5;

/**
 * Finds the entries that contain every word of a query, except common words. If no entry contains
 * all words, the search replaces unknown words by similar ones. If there is still no match, it
 * finds the entries that contain some of the words.
 *
 * An entry whose title or anchor equals the query comes first. Among the other entries, the client
 * reference and the error codes have less weight than the guides. A query with an underscore is
 * probably an error code, so error codes then keep their full weight.
 */
function search(index, query) {
  const isCode = query.includes('_');
  const boostDocument = (path) => {
    if (path.includes('#error-')) return isCode ? 1 : 0.3;
    return path.startsWith('/docs/guides/client') ? 0.3 : 1;
  };
  const all = wordsOf(query);
  const distinctiveWords = all.filter((word) => !fillers.has(word.toLowerCase()));
  const words = (distinctiveWords.length > 0 ? distinctiveWords : all).join(' ');
  const exactName = query.toLowerCase().replaceAll(/\s+/g, '');
  const isExactMatch = ({ title, path }) =>
    [title, path.split('#')[1]].some(
      (name) => name?.toLowerCase().replaceAll(' ', '') === exactName,
    );
  const isUnknown = (word) => index.search(word).length === 0;
  const fuzzy = (word) => (word.length >= minFuzzyLength && isUnknown(word) ? 0.3 : false);
  let found = index.search(words, { boostDocument });
  if (found.length === 0) found = index.search(words, { boostDocument, fuzzy });
  if (found.length === 0) found = index.search(words, { boostDocument, combineWith: 'OR' });
  return [...found.filter(isExactMatch), ...found.filter((entry) => !isExactMatch(entry))].slice(
    0,
    12,
  );
}
