import { type Int64, maxPetId, type PetStatus } from '@animal-store/contract';
import { openCursor, sealCursor } from '@animal-store/http-server';

/** The filter of a list of animals. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: Int64 | undefined;
}

/**
 * The position of a page in a list: the filter of the list and the last id of the previous page.
 */
export interface PagePosition extends PetFilter {
  readonly afterId: number;
}

/** Encodes a position as an opaque cursor, which clients send back to get the next page. */
export function encodeCursor({ status, categoryId, afterId }: PagePosition): string {
  // A cursor without a category has the same format as in earlier versions. During a deployment,
  // replicas of both versions read it.
  const category = categoryId === undefined ? '' : `.${categoryId}`;
  return sealCursor(`${status ?? ''}.${afterId}${category}`);
}

/**
 * Decodes a cursor to the id after which its page starts. Returns `undefined` if the cursor is
 * invalid.
 */
export function decodeCursor(cursor: string, filter: PetFilter): number | undefined {
  const position = openCursor(cursor) ?? '';
  const [, status, id, categoryId] =
    /^([a-z]*)\.([1-9]\d{0,15})(?:\.(-?\d{1,19}))?$/.exec(position) ?? [];
  const afterId = Number(id);
  const isSame = status === (filter.status ?? '') && categoryId === filter.categoryId?.toString();
  return isSame && afterId <= maxPetId ? afterId : undefined;
}
