import { findLink } from '@animal-store/contract';

/** What one call of a list gives at most. */
const pageSize = 100;

interface Page<Item> {
  readonly body: readonly Item[];
  readonly headers: Headers;
}

/**
 * Reads a list, page by page, and gives all of it as one answer. A page may be empty although there is
 * another.
 */
export async function listAll<Item>(
  read: (page: { limit: string; cursor: string | undefined }) => Promise<Page<Item>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<{ status: 200; body: Item[] }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: String(Math.min(pageSize, limit - items.length)), cursor });
    items.push(...page.body);
    const next = findLink(page.headers.get('Link') ?? '', 'next');
    cursor = next && (new URLSearchParams(next.split('?')[1]).get('cursor') ?? undefined);
  } while (cursor !== undefined && items.length < limit);
  return { status: 200, body: items };
}
