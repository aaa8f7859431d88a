import { type Int64, maxPetId, type PetStatus } from '@animal-store/contract';
import { openCursor, sealCursor } from '../http/sealed-cursor.ts';

/** Which animals a list has. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: Int64 | undefined;
}

/** Where a page starts: the filter of the first page, and the last id of the page before. */
export interface PagePosition extends PetFilter {
  readonly afterId: number;
}

/** Encodes a position as the opaque text that clients send back. */
export function encodeCursor({ status, categoryId, afterId }: PagePosition): string {
  // Without a category as before there were categories: during a deployment both versions read it.
  const category = categoryId === undefined ? '' : `.${categoryId}`;
  return sealCursor(`${status ?? ''}.${afterId}${category}`);
}

/** Decodes a cursor to the id after which its page starts. `undefined` if the cursor is invalid. */
export function decodeCursor(cursor: string, filter: PetFilter): number | undefined {
  const position = openCursor(cursor) ?? '';
  const [, status, id, categoryId] =
    /^([a-z]*)\.([1-9]\d{0,15})(?:\.(-?\d{1,19}))?$/.exec(position) ?? [];
  const afterId = Number(id);
  const isSame = status === (filter.status ?? '') && categoryId === filter.categoryId?.toString();
  return isSame && afterId <= maxPetId ? afterId : undefined;
}
