import { defaultBanPolicy } from '@animal-store/contract';
import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { createDocsFiles, docsPaths } from './index.ts';

/** The search script that the pages load. */
const script = new URL('../assets/search.js', import.meta.url).href;

async function search(query: string): Promise<{ path: string }[]> {
  const origin = 'https://api.example.com';
  const { pages } = createDocsFiles({ origin, addressPerMinute: 60, banPolicy: defaultBanPolicy });
  const index = await pages.get(docsPaths.search)?.();
  const { createSearch } = await import(/* @vite-ignore */ script);
  return createSearch(MiniSearch, JSON.parse(index?.content ?? ''))(query);
}

test.each([
  ['mock', 'typescript#tests-of-your-code'],
  ['nextjs', 'typescript#nextjs'],
  ['Next.js', 'typescript#nextjs'],
  ['retry', 'errors#try-again-or-not'],
  ['retries', 'typescript#retries-and-waits'],
  ['proxy', 'typescript#proxy'],
  ['how to wait after a 429', 'limits#after-a-429'],
  ['what does a replayed creation answer', 'idempotency#replay'],
  ['duplicate request', 'idempotency'],
  ['create duplicate', 'idempotency'],
  ['stub', 'typescript#tests-of-your-code'],
  ['unit test', 'typescript#tests-of-your-code'],
  ['test my code', 'typescript#tests-of-your-code'],
  ['idempotancy', 'idempotency'],
])('the search for "%s" returns the section %s first', async (query, section) => {
  const [found] = await search(query);
  expect(found).toMatchObject({ path: `/docs/guides/${section}` });
});

test('the search finds nothing for a word that is only similar in spelling to a word of the guides', async () => {
  expect(await search('zebra crossing')).toEqual([]);
});
