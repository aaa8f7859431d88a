import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';

/** Expects an ES module of all exports, minified, of at most so many bytes. */
export function expectSmallBundle(code: string, maxBytes: number): void {
  expect(code).toMatch(/export ?\{.*createClient/s);
  expect(gzipSync(code).length).toBeLessThanOrEqual(maxBytes);
}
