import { adminBasePath } from '@animal-store/admin-contract';
import { formatLinks } from '@animal-store/contract';
import { appendHeader, openCursor, sealCursor } from '@animal-store/http-server';
import { DatabaseError } from '@animal-store/postgres';
import type { Response } from 'express';
import { z } from 'zod';
import type { ListPage, ListPosition } from '../schema/list-page.ts';
import { AdminError } from './admin-error.ts';

export interface PagedList {
  /** The path of the list, relative to the base path of the admin API. */
  readonly path: string;
  readonly limit: number;
  /** The filters of the list; `undefined` for filters that are not set. */
  readonly filter: Readonly<Record<string, string | number | undefined>>;
}

/** The functions that read a list. */
interface ListSource<Item> {
  find(from: ListPosition | undefined): Promise<ListPage<Item>>;
  /** Counts the items of all pages, if callers may ask for their number. */
  count?(): Promise<number>;
}

/**
 * Reads the page that a cursor points to, and adds a `Link` header if there is a next page. If the
 * query asks for the number of items, the function also adds the header `X-Total-Count`.
 *
 * @throws {AdminError} if the cursor does not belong to this list and this filter.
 */
export async function readPage<Item>(
  res: Response,
  list: PagedList,
  query: { readonly cursor?: string | undefined; readonly count?: unknown },
  source: ListSource<Item>,
): Promise<Item[]> {
  const { items, next } = await findPage(res, list, query.cursor, source.find);
  if (query.count !== undefined && source.count !== undefined) {
    // If the first page contains the whole list, the list is not read a second time to count it.
    const isWhole = query.cursor === undefined && next === undefined;
    appendHeader(res, 'X-Total-Count', String(isWhole ? items.length : await source.count()));
  }
  return [...items];
}

async function findPage<Item>(
  res: Response,
  list: PagedList,
  cursor: string | undefined,
  find: ListSource<Item>['find'],
): Promise<ListPage<Item>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(list.filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  // The name of the list contains its path and its filter. A cursor is only valid for a list with
  // the same name.
  const name = `${list.path} ${query} `;
  try {
    const from = cursor === undefined ? undefined : readPosition(openCursor(cursor, name));
    const page = await find(from);
    if (page.next !== undefined) {
      query.set('limit', String(list.limit));
      query.set('cursor', sealCursor(JSON.stringify(page.next), name));
      const url = `${adminBasePath}${list.path}?${query}`;
      appendHeader(res, 'Link', formatLinks([{ url, rel: 'next' }]));
    }
    return page;
  } catch (error) {
    if (cursor === undefined || !isForgery(error)) throw error;
    throw new AdminError(
      'invalid_request',
      'cursor: expected a cursor from a Link header of the same list',
    );
  }
}

const Position = z.array(z.string());

const readPosition = (text = ''): ListPosition => Position.parse(JSON.parse(text));

/**
 * Tells whether an error shows that the service has not created a cursor (a forged cursor). A
 * forged cursor contains invalid JSON, a value that is not a position, or texts that Postgres
 * cannot convert (SQLSTATE class 22).
 */
const isForgery = (error: unknown) =>
  error instanceof SyntaxError ||
  error instanceof z.ZodError ||
  (error instanceof DatabaseError && error.code.startsWith('22'));
