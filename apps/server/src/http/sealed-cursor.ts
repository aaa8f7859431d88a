import { hash } from 'node:crypto';

// Detects a cursor that was truncated or edited by accident, or belongs to another list. It needs no
// secret: a forged cursor only asks for a page that a query can ask for anyway.
const checksumLength = 11;

/**
 * Encodes a position in a list as the opaque text that clients send back.
 *
 * @param list names the list, unless the position does. The cursors of one list are invalid in another.
 */
export function sealCursor(position: string, list = ''): string {
  const checksum = hash('sha256', `animal-store page ${list}${position}`, 'base64url');
  return Buffer.from(`${position}.${checksum.slice(0, checksumLength)}`).toString('base64url');
}

/** Decodes a cursor to its position. `undefined` if it is not one of this list. */
export function openCursor(cursor: string, list = ''): string | undefined {
  const position = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(0, -(checksumLength + 1));
  // Decoding base64url skips foreign characters: only the exact text that was issued is a cursor.
  return sealCursor(position, list) === cursor ? position : undefined;
}
