import { hash } from 'node:crypto';
import { maxPetId, type PetStatus } from '@animal-store/contract';

/** What a page of the list continues: the filter it began with, and the last id that was seen. */
export interface PagePosition {
  readonly status: PetStatus | undefined;
  readonly afterId: number;
}

// Guards against a cursor cut short or edited by accident. It needs no secret: whoever forges one
// only asks for a page that a query could ask for anyway.
const checksumLength = 11;

/** Writes a position as the opaque text that clients carry back. */
export function encodeCursor({ status, afterId }: PagePosition): string {
  const payload = `${status ?? ''}.${afterId}`;
  return Buffer.from(`${payload}.${checksum(payload)}`).toString('base64url');
}

/** Reads a position back, or `undefined` if this service did not write the text. */
export function decodeCursor(cursor: string, status: PetStatus | undefined): number | undefined {
  const match = /^(([a-z]*)\.([1-9]\d{0,15}))\.([\w-]+)$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  if (match === null) return undefined;
  const [, payload = '', filter, id, sum] = match;
  const afterId = Number(id);
  if (sum !== checksum(payload) || afterId > maxPetId || filter !== (status ?? ''))
    return undefined;
  // base64url decoding skips foreign characters; only the text that was given out is a cursor.
  return encodeCursor({ status, afterId }) === cursor ? afterId : undefined;
}

function checksum(payload: string): string {
  return hash('sha256', `animal-store page ${payload}`, 'base64url').slice(0, checksumLength);
}
