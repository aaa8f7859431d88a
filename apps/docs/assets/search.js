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

/**
 * The entries that have every word of a query, or words like them if none has. An entry whose title or anchor is the
 * query comes first. Guides come before the declarations of the client, and before the codes of errors, unless a code
 * is searched for.
 */
function search(index, query) {
  const isCode = query.includes('_');
  const boostDocument = (path) => {
    if (path.includes('#error-')) return isCode ? 1 : 0.3;
    return path.startsWith('/docs/guides/client') ? 0.3 : 1;
  };
  const one = query.toLowerCase().replaceAll(/\s+/g, '');
  const isMeant = ({ title, path }) =>
    [title, path.split('#')[1]].some((name) => name?.toLowerCase().replaceAll(' ', '') === one);
  let found = index.search(query, { boostDocument });
  if (found.length === 0) found = index.search(query, { boostDocument, fuzzy: 0.3 });
  return [...found.filter(isMeant), ...found.filter((entry) => !isMeant(entry))].slice(0, 12);
}
