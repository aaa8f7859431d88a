import { hash } from 'node:crypto';
import { maxPetId, type PetStatus } from '@animal-store/contract';

/** Where a page starts: the filter of the first page, and the last id of the page before. */
export interface PagePosition {
  readonly status: PetStatus | undefined;
  readonly afterId: number;
}

// Detects a cursor that was truncated or edited by accident. It needs no secret: a forged cursor only
// asks for a page that a query can ask for anyway.
const checksumLength = 11;

/** Encodes a position as the opaque text that clients send back. */
export function encodeCursor({ status, afterId }: PagePosition): string {
  const payload = `${status ?? ''}.${afterId}`;
  return Buffer.from(`${payload}.${checksum(payload)}`).toString('base64url');
}

/** Decodes a cursor to the id after which its page starts. `undefined` if the cursor is invalid. */
export function decodeCursor(cursor: string, status: PetStatus | undefined): number | undefined {
  const match = /^(([a-z]*)\.([1-9]\d{0,15}))\.([\w-]+)$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  if (match === null) return undefined;
  const [, payload = '', filter, id, sum] = match;
  const afterId = Number(id);
  if (sum !== checksum(payload) || afterId > maxPetId || filter !== (status ?? ''))
    return undefined;
  // Decoding base64url skips foreign characters: only the exact text that was issued is a cursor.
  return encodeCursor({ status, afterId }) === cursor ? afterId : undefined;
}

function checksum(payload: string): string {
  return hash('sha256', `animal-store page ${payload}`, 'base64url').slice(0, checksumLength);
}
