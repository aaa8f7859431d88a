import { hash } from 'node:crypto';

// The number of characters of a checksum. Each cursor (the encoded position of a page in a list)
// contains a checksum. The checksum detects cursors that were truncated or edited by accident, or
// that belong to another list. It needs no secret, because a forged cursor only asks for a page
// that the caller may read anyway.
const checksumLength = 11;

/**
 * Encodes a position in a list as an opaque cursor, which clients send back to get the next page.
 *
 * @param list the name of the list, unless the position already contains it. A cursor of one list
 * is invalid for another list.
 */
export function sealCursor(position: string, list = ''): string {
  const checksum = hash('sha256', `animal-store page ${list}${position}`, 'base64url');
  return Buffer.from(`${position}.${checksum.slice(0, checksumLength)}`).toString('base64url');
}

/**
 * Decodes a cursor to its position. Returns `undefined` if the text is not a cursor of this list.
 */
export function openCursor(cursor: string, list = ''): string | undefined {
  const position = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(0, -(checksumLength + 1));
  // The decoder of base64url ignores invalid characters. So the cursor must equal the exact text
  // that the service would create.
  return sealCursor(position, list) === cursor ? position : undefined;
}
