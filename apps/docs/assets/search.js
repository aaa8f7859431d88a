// What the search of the pages finds. It needs no page, so a test runs it.

/** The words of a text: names such as `createPet` and `Next.js` also as two. */
export const wordsOf = (text) =>
  (text.match(/[\p{L}\p{N}]+(?:\.\p{L}+)*/gu) ?? []).flatMap((word) => [
    ...new Set([word.replaceAll('.', ''), ...word.split(/\.|(?<=[a-z])(?=[A-Z])/)]),
  ]);

/** Makes a search of the headings of all pages. */
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

/** Words of questions and sentences, which most texts contain whatever they are about. */
const fillers = new Set(
  'a an and are can do does for how i in is it my of on or the to what when which why with'.split(
    ' ',
  ),
);

/** From this length on, a word may be misspelt. A shorter one is like too many other words. */
const minFuzzyLength = 5;

/**
 * Finds the entries that have every word of a query but its fillers. If none has, a word that no
 * entry has stands for words like it. If that finds nothing, it finds the entries that have some of
 * the words, the most first. An entry whose title or anchor is the query comes first. Guides come
 * before the declarations of the client, and before the codes of errors, unless a code is searched
 * for.
 */
function search(index, query) {
  const isCode = query.includes('_');
  const boostDocument = (path) => {
    if (path.includes('#error-')) return isCode ? 1 : 0.3;
    return path.startsWith('/docs/guides/client') ? 0.3 : 1;
  };
  const all = wordsOf(query);
  const telling = all.filter((word) => !fillers.has(word.toLowerCase()));
  const words = (telling.length > 0 ? telling : all).join(' ');
  const one = query.toLowerCase().replaceAll(/\s+/g, '');
  const isMeant = ({ title, path }) =>
    [title, path.split('#')[1]].some((name) => name?.toLowerCase().replaceAll(' ', '') === one);
  const isUnknown = (word) => index.search(word).length === 0;
  const fuzzy = (word) => (word.length >= minFuzzyLength && isUnknown(word) ? 0.3 : false);
  let found = index.search(words, { boostDocument });
  if (found.length === 0) found = index.search(words, { boostDocument, fuzzy });
  if (found.length === 0) found = index.search(words, { boostDocument, combineWith: 'OR' });
  return [...found.filter(isMeant), ...found.filter((entry) => !isMeant(entry))].slice(0, 12);
}
