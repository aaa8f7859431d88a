import { hash } from 'node:crypto';

// The checksum detects a cursor that was truncated or edited by accident, or that belongs to
// another list. It needs no secret, because a forged cursor asks only for a page that the caller
// may read anyway.
const checksumLength = 11;

/**
 * Encodes a position in a list as the opaque cursor that clients send back.
 *
 * @param list the name of the list, unless the position contains it. A cursor of one list is
 * invalid in another.
 */
export function sealCursor(position: string, list = ''): string {
  const checksum = hash('sha256', `animal-store page ${list}${position}`, 'base64url');
  return Buffer.from(`${position}.${checksum.slice(0, checksumLength)}`).toString('base64url');
}

/** Decodes a cursor to its position; returns `undefined` if it is not a cursor of this list. */
export function openCursor(cursor: string, list = ''): string | undefined {
  const position = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(0, -(checksumLength + 1));
  // Decoding base64url skips foreign characters, so the cursor must equal the exact text that was
  // issued.
  return sealCursor(position, list) === cursor ? position : undefined;
}
