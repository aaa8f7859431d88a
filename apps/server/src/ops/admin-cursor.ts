import { hash } from 'node:crypto';
import { formatLinks } from '@animal-store/contract';
import { adminBasePath } from '@animal-store/contract/admin';
import type { Response } from 'express';
import type { ListPosition } from '../database/list-page.ts';
import { HttpError } from '../http/http-error.ts';

/** A list that comes in pages. */
export interface PagedList {
  /** Its path, relative to the admin API. */
  readonly path: string;
  readonly limit: number;
  /** What narrows it. `undefined` narrows nothing. */
  readonly filter: Readonly<Record<string, string | number | undefined>>;
}

/** Sets the `Link` header of a page that has a next one. */
export function linkNextPage(
  res: Pick<Response, 'setHeader'>,
  list: PagedList,
  next: ListPosition | undefined,
): void {
  if (next === undefined) return;
  const query = queryOf(list);
  query.set('limit', String(list.limit));
  query.set('cursor', encode(list, next));
  const url = `${adminBasePath}${list.path}?${query}`;
  res.setHeader('Link', formatLinks([{ url, rel: 'next' }]));
}

/**
 * Reads the cursor of a request.
 *
 * @throws {HttpError} if it is not one of this list and filter.
 */
export function readCursor(list: PagedList, cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = parse(Buffer.from(cursor, 'base64url').toString().slice(checksumLength));
  // Only the exact text that was issued is a cursor.
  if (position !== undefined && encode(list, position) === cursor) return position;
  throw new HttpError('invalid_request', 'cursor: expected one that a Link header gave');
}

// Detects a cursor that was edited, or belongs to another filter. It needs no secret: a forged cursor
// only asks for a page that a query can ask for anyway.
const checksumLength = 11;

function encode(list: PagedList, { place, id }: ListPosition): string {
  const payload = JSON.stringify([place, id]);
  const checksum = hash('sha256', `${list.path} ${queryOf(list)} ${payload}`, 'base64url');
  return Buffer.from(checksum.slice(0, checksumLength) + payload).toString('base64url');
}

function parse(payload: string): ListPosition | undefined {
  try {
    const [place, id, ...more] = JSON.parse(payload);
    if (typeof place !== 'string' || typeof id !== 'string' || more.length > 0) return undefined;
    return { place, id };
  } catch {
    return undefined;
  }
}

function queryOf({ filter }: PagedList): URLSearchParams {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  );
}
