import type { Request } from 'express';

/** Why such a request is refused. */
export const authorizedTwice = 'Authorization: expected once, got it several times.';

/**
 * Tells whether a request has `Authorization` more than once. Node keeps the first, and a proxy may have
 * checked another.
 */
export function isAuthorizedTwice({ rawHeaders }: Request): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
}
