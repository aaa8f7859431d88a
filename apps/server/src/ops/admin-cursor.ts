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
  /** Its path, relative to the admin API. */
  readonly path: string;
  readonly limit: number;
  /** What narrows it. `undefined` narrows nothing. */
  readonly filter: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Finds the page that a cursor means, and sets its `Link` header if there is a next one.
 *
 * @throws {AdminError} if the cursor is not one of this list and filter.
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
  // Tells lists apart that differ in their path or their filter.
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
    throw new AdminError('invalid_request', 'cursor: expected one that a Link header gave');
  }
}

/** Tells how many a list has, if that is asked for. */
export async function tellCount(res: Response, isAsked: unknown, count: () => Promise<number>) {
  if (isAsked !== undefined) appendHeader(res, 'X-Total-Count', String(await count()));
}

const Position = z.array(z.string());

const readPosition = (text = ''): ListPosition => Position.parse(JSON.parse(text));

/** Whether a cursor holds no JSON, no position, or one with texts that Postgres cannot read: class 22 of SQLSTATEs. */
const isForgery = (error: unknown) =>
  error instanceof SyntaxError ||
  error instanceof z.ZodError ||
  (error instanceof DatabaseError && error.code.startsWith('22'));
