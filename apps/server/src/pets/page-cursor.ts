import { maxPetId, type PetStatus } from '@animal-store/contract';
import { openCursor, sealCursor } from '../http/sealed-cursor.ts';

/** Where a page starts: the filter of the first page, and the last id of the page before. */
export interface PagePosition {
  readonly status: PetStatus | undefined;
  readonly afterId: number;
}

/** Encodes a position as the opaque text that clients send back. */
export function encodeCursor({ status, afterId }: PagePosition): string {
  return sealCursor(`${status ?? ''}.${afterId}`);
}

/** Decodes a cursor to the id after which its page starts. `undefined` if the cursor is invalid. */
export function decodeCursor(cursor: string, status: PetStatus | undefined): number | undefined {
  const position = openCursor(cursor) ?? '';
  const [, filter, id] = /^([a-z]*)\.([1-9]\d{0,15})$/.exec(position) ?? [];
  const afterId = Number(id);
  return filter === (status ?? '') && afterId <= maxPetId ? afterId : undefined;
}
