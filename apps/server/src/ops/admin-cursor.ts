import { formatLinks } from '@animal-store/contract';
import { adminBasePath } from '@animal-store/contract/admin';
import type { Response } from 'express';
import type { ListPosition } from '../database/list-page.ts';
import { HttpError } from '../http/http-error.ts';
import { appendHeader } from '../http/note-headers.ts';
import { openCursor, sealCursor } from '../http/sealed-cursor.ts';

/** A list that comes in pages. */
export interface PagedList {
  /** Its path, relative to the admin API. */
  readonly path: string;
  readonly limit: number;
  /** What narrows it. `undefined` narrows nothing. */
  readonly filter: Readonly<Record<string, string | number | undefined>>;
  /** Whether a position may be one of this list. Anybody can forge a cursor. */
  readonly isPosition: (position: ListPosition) => boolean;
}

/** Sets the `Link` header of a page that has a next one. */
export function linkNextPage(res: Response, list: PagedList, next: ListPosition | undefined): void {
  if (next === undefined) return;
  const query = queryOf(list);
  query.set('limit', String(list.limit));
  query.set('cursor', sealCursor(`${next.id} ${next.place}`, nameOf(list)));
  const url = `${adminBasePath}${list.path}?${query}`;
  appendHeader(res, 'Link', formatLinks([{ url, rel: 'next' }]));
}

/**
 * Reads the cursor of a request.
 *
 * @throws {HttpError} if it is not one of this list and filter.
 */
export function readCursor(list: PagedList, cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = openCursor(cursor, nameOf(list)) ?? '';
  const [, id, place] = /^(\S+) (.*)$/s.exec(position) ?? [];
  if (id !== undefined && place !== undefined && list.isPosition({ id, place })) {
    return { id, place };
  }
  throw new HttpError('invalid_request', 'cursor: expected one that a Link header gave');
}

/** Tells lists apart that differ in their path or their filter. */
function nameOf(list: PagedList): string {
  return `${list.path} ${queryOf(list)} `;
}

function queryOf({ filter }: PagedList): URLSearchParams {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  );
}
