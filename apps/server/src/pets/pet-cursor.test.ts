import { normalizeInt64 } from '@animal-store/contract';
import { sealCursor } from '@animal-store/http-server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from './pet-cursor.ts';

const filters = fc.record({
  status: fc.constantFrom('available', 'pending', 'sold', undefined),
  categoryId: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(normalizeInt64), {
    nil: undefined,
  }),
});

test('decodeCursor returns the position that encodeCursor has encoded, and the cursor needs no escaping in a URL', () => {
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const property = fc.property(filters, id, (filter, afterId) => {
    const cursor = encodeCursor({ ...filter, afterId });
    expect(cursor).toMatch(/^[\w-]{1,80}$/);
    expect(decodeCursor(cursor, filter)).toBe(afterId);
  });
  fc.assert(property, { seed: 1 });
});

test('decodeCursor accepts a cursor only with the filter that it was created for', () => {
  const all = [
    { status: undefined, categoryId: undefined },
    { status: 'sold', categoryId: undefined },
    { status: undefined, categoryId: -7 },
    { status: 'sold', categoryId: 7 },
  ] as const;
  for (const own of all) {
    const cursor = encodeCursor({ ...own, afterId: 7 });
    expect(all.filter((filter) => decodeCursor(cursor, filter) !== undefined)).toEqual([own]);
  }
});

test('decodeCursor rejects a modified cursor, a cursor with an invalid position, and a text that is not a cursor', () => {
  const filter = { status: 'sold', categoryId: 7 } as const;
  const cursor = encodeCursor({ ...filter, afterId: 1_234 });
  for (let i = 0; i < cursor.length; i += 1) {
    for (const other of 'aZ0-_=') {
      if (cursor[i] === other) continue;
      const spoilt = cursor.slice(0, i) + other + cursor.slice(i + 1);
      expect(decodeCursor(spoilt, filter), spoilt).toBeUndefined();
    }
  }
  // The cursors in this list have a valid checksum, because the checksum is not a secret. Their
  // positions are invalid.
  const sealed = ['.0', '.-1', '.1e9', '.9007199254740992', 'lost.1', '.1.', '.1.x', '\0.1'];
  const tails = ['A', '=', ' ', '\n'].map((tail) => sealCursor('.1') + tail);
  for (const text of [...sealed.map((it) => sealCursor(it)), ...tails, '9'.repeat(7_000)]) {
    expect(decodeCursor(text, { status: undefined, categoryId: undefined }), text).toBeUndefined();
  }
  const property = fc.property(fc.string({ maxLength: 100 }), filters, (text, filter) => {
    expect(decodeCursor(text, filter)).toBeUndefined();
  });
  fc.assert(property, { seed: 1 });
});
