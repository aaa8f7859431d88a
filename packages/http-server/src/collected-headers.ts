import type { Response } from 'express';
import './request-locals.ts';

// The functions in this file collect headers in one list, and `send-response.ts` writes all of them
// in one call. Calling `res.setHeader` for thirteen headers costs 7 to 10 % of the CPU time of a
// 429 (docs/bends.md).

/** Sets a header of a response. A later value replaces an earlier one. */
export function setHeader({ locals: { headers } }: Response, name: string, value: string): void {
  const index = indexOfHeader(headers, name);
  if (index === -1) headers.push(name, value);
  else headers[index + 1] = value;
}

/**
 * Adds a header that the response does not have yet. The function is faster than `setHeader`,
 * because it does not search the list.
 */
export function addHeader({ locals: { headers } }: Response, name: string, value: string): void {
  headers.push(name, value);
}

/** Adds a value to a header that is a list, such as `Link` and `Vary` (RFC 9110, §5.3). */
export function appendHeader({ locals: { headers } }: Response, name: string, value: string): void {
  const index = indexOfHeader(headers, name);
  if (index === -1) headers.push(name, value);
  else headers[index + 1] += `, ${value}`;
}

export function hasHeader({ locals: { headers } }: Response, name: string): boolean {
  return indexOfHeader(headers, name) !== -1;
}

function indexOfHeader(headers: readonly string[], name: string): number {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return i;
  return -1;
}
