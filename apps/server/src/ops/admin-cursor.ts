import { adminBasePath } from '@animal-store/admin-contract';
import { formatLinks } from '@animal-store/contract';
import { DatabaseError } from '@animal-store/postgres';
import type { Response } from 'express';
import { z } from 'zod';
import { appendHeader } from '../http/note-headers.ts';
import { openCursor, sealCursor } from '../http/sealed-cursor.ts';
import type { ListPage, ListPosition } from '../schema/list-page.ts';
import { AdminError } from './admin-error.ts';

export interface PagedList {
  /** The path of the list, relative to the base path of the admin API. */
  readonly path: string;
  readonly limit: number;
  /** The filters of the list; `undefined` for filters that are not set. */
  readonly filter: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Reads the page that a cursor points to, and adds a `Link` header if there is a next page.
 *
 * @throws {AdminError} if the cursor does not belong to this list and this filter.
 */
export async function findPage<Item>(
  res: Response,
  list: PagedList,
  cursor: string | undefined,
  find: (from: ListPosition | undefined) => Promise<ListPage<Item>>,
): Promise<Item[]> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(list.filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  // The name contains the path and the filter of the list. A cursor is only valid for a list with
  // the same name.
  const name = `${list.path} ${query} `;
  try {
    const from = cursor === undefined ? undefined : readPosition(openCursor(cursor, name));
    const { items, next } = await find(from);
    if (next !== undefined) {
      query.set('limit', String(list.limit));
      query.set('cursor', sealCursor(JSON.stringify(next), name));
      const url = `${adminBasePath}${list.path}?${query}`;
      appendHeader(res, 'Link', formatLinks([{ url, rel: 'next' }]));
    }
    return [...items];
  } catch (error) {
    if (cursor === undefined || !isForgery(error)) throw error;
    throw new AdminError(
      'invalid_request',
      'cursor: expected a cursor from a Link header of the same list',
    );
  }
}

/** Adds the header `X-Total-Count` if the caller asks for the number of items. */
export async function setTotalCount(res: Response, isAsked: unknown, count: () => Promise<number>) {
  if (isAsked !== undefined) appendHeader(res, 'X-Total-Count', String(await count()));
}

const Position = z.array(z.string());

const readPosition = (text = ''): ListPosition => Position.parse(JSON.parse(text));

/**
 * Tells whether an error was caused by a forged cursor, which the service has not created. The
 * forged cursor contains no JSON, no position, or texts that Postgres cannot convert (SQLSTATE
 * class 22).
 */
const isForgery = (error: unknown) =>
  error instanceof SyntaxError ||
  error instanceof z.ZodError ||
  (error instanceof DatabaseError && error.code.startsWith('22'));
