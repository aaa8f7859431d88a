/**
 * Makes a key that no other call has: 128 random bits. Not `crypto.randomUUID`, which browsers have
 * on secure pages only.
 */
export function createIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
