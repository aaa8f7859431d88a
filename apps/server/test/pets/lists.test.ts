import { findLink } from '@animal-store/contract';
import { describe, expect, test } from 'vitest';
import { sealCursor } from '../../src/http/sealed-cursor.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { expectError } from '../support/expectations.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

// Which animals a page or a list of ids has is tested in pet-repository.test.ts.

/** A category that a double rounds. */
const wide = 9007199254740993n;
const publicUrl = 'https://pets.example.com';

/** Ids by status, in order. */
const ids = { available: [] as number[], pending: [] as number[], sold: [] as number[] };

const service = useService('postgres', {
  env: { PUBLIC_URL: publicUrl },
  async prepare(db) {
    const pets = createPetRepository(db);
    for (let i = 0; i < 45; i += 1) {
      const status = i % 9 === 4 ? 'pending' : 'sold';
      const { id } = await pets.create({ name: `${i}`, categoryId: i % 2 ? 1 : wide, status });
      ids[status].push(id);
    }
  },
});

const idsOf = ({ body }: Answer) => (body as { id: number }[]).map(({ id }) => id);
const nextOf = ({ headers }: Answer) => findLink(headers.get('Link') ?? '', 'next');

/** Follows the links to the end. */
async function walk(path: string, onPage: () => Promise<unknown> = async () => {}) {
  const pages: number[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = await service.call(next);
    expect(answer.status).toBe(200);
    pages.push(idsOf(answer));
    next = nextOf(answer)?.slice(`${publicUrl}/v1`.length);
    await onPage();
  }
  return pages;
}

async function cursorOf(path: string): Promise<string> {
  return new URL(nextOf(await service.call(path)) ?? '').searchParams.get('cursor') ?? '';
}

describe('pages', () => {
  test.each([
    ['limit=7', [7, 7, 7, 7, 7, 5]],
    ['limit=40', [40]],
    // An exact multiple ends with a full page and no empty one.
    ['limit=10', [10, 10, 10, 10]],
    ['limit=100', [40]],
    ['', [20, 20]],
  ])('of %s give every animal exactly once, in order', async (limit, sizes) => {
    const pages = await walk(`/pets?status=sold&${limit}`);
    expect(pages.flat()).toEqual(ids.sold);
    expect(pages.map((page) => page.length)).toEqual(sizes);
  });

  test('neither repeat nor hide animals while others are added', async () => {
    const create = () =>
      service.call('/pets', { json: '{"name":"Late","categoryId":1,"status":"pending"}' });
    let added = 0;
    const pages = await walk('/pets?limit=10', async () => {
      if (added++ < 3) await Promise.all([create(), create(), create()]);
    });
    const all = pages.flat();
    expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    expect(all).toHaveLength(45 + 9);
    expect(all).toEqual(expect.arrayContaining([...ids.sold, ...ids.pending]));
  });

  test('may change their size on the way', async () => {
    const cursor = await cursorOf('/pets?status=sold&limit=3');
    const answer = await service.call(`/pets?status=sold&limit=5&cursor=${cursor}`);
    expect(idsOf(answer)).toEqual(ids.sold.slice(3, 8));
  });

  test('end where there is nothing', async () => {
    const answer = await service.call('/pets?status=available');
    expect([answer.text, answer.headers.get('Link')]).toEqual(['[]', null]);
  });
});

describe('the link to the next page', () => {
  // `api_key` might be a secret.
  test.each([
    ['limit=3&api_key=hush&x=%0d%0aLink:a', 'limit=3'],
    ['status=sold', 'limit=20&status=sold'],
    [`categoryId=${wide}&status=sold&limit=1`, `limit=1&status=sold&categoryId=${wide}`],
  ])('of %s keeps %s, and nothing else', async (query, kept) => {
    const { headers } = await service.call(`/pets?${query}`);
    const [address = '', cursor = ''] = headers.get('Link')?.split('&cursor=') ?? [];
    expect(address).toBe(`<${publicUrl}/v1/pets?${kept}`);
    expect(cursor).toMatch(/^[\w-]+>; rel="next"$/);
  });

  test.each([
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'Forwarded: host=evil.example;proto=http',
  ])('is not built from %s', async (header) => {
    const { origin } = service.server;
    const [answer] = await sendRaw(
      origin,
      rawRequest({
        line: 'GET /v1/pets?limit=3 HTTP/1.1',
        headers: [
          ...(header.startsWith('Host') ? [] : ['Host: a']),
          header,
          `Authorization: Bearer ${service.tokens.enterprise}`,
        ],
      }),
    );
    expect(answer?.headers.get('Link')).toMatch(/^<https:\/\/pets\.example\.com\/v1\/pets\?/);
  });
});

describe('a cursor', () => {
  const refuse = async (query: string) =>
    expectError(await service.call(`/pets?${query}`), 400, 'invalid_request', /^cursor: expected /);

  test.each([
    ['limit=3', 'status=sold&'],
    ['status=sold&limit=3', ''],
    ['status=sold&limit=3', 'status=pending&'],
    ['limit=3', 'categoryId=1&'],
    ['categoryId=1&limit=3', ''],
    ['categoryId=1&limit=3', 'categoryId=0&'],
  ])('of %s is refused with the filter "%s"', async (from, query) => {
    await refuse(`${query}cursor=${await cursorOf(`/pets?${from}`)}`);
  });

  // That no other change of its text is accepted is tested in pet-cursor.test.ts.
  test.each([
    ...['', '5', '%00', '%ff%fe', '%0d%0aLink:%20x', "'%20or%201=1--", '%F0%9F%90%95'],
    ...['A'.repeat(7_000), '9'.repeat(7_000), 'a&cursor=b'],
    // Its checksum is right, as anybody can compute it.
    ...['.0', '.-1', '.1e9', '.9007199254740992', 'lost.1', '.1.', '.1.x', '\0.1'].map((it) =>
      sealCursor(it),
    ),
  ])('%# is refused', async (cursor) => {
    await refuse(`cursor=${cursor}`);
  });

  test('is refused with something appended', async () => {
    const cursor = await cursorOf('/pets?limit=3');
    for (const tail of ['A', '=', '%20', '%0a', `&cursor=${cursor}`]) {
      await refuse(`cursor=${cursor}${tail}`);
    }
  });
});

describe('a list of ids', () => {
  test('has these animals, in order, once each, and no link', async () => {
    const [first = 0, second = 0] = ids.sold;
    const found = await service.call('/pets?status=sold&limit=2');
    for (const query of [
      `ids=${second},${first},${second}`,
      `ids=${second}&ids=${first}`,
      `ids=${first},0,9223372036854775807&status=sold&ids=${second}&ids=${ids.pending[0]}`,
    ]) {
      const answer = await service.call(`/pets?${query}`);
      expect(answer).toMatchObject({ status: 200, text: found.text });
      expect(answer.headers.has('Link')).toBe(false);
    }
    expect((await service.call('/pets?ids=77777')).text).toBe('[]');
  });

  test.each([
    ['ids=', /^ids: expected 1 to 100 64-bit integers, as in ids=5,11 or ids=5&ids=11, got ""$/],
    [`ids=${'1&ids='.repeat(100)}1`, /^ids: expected 1 to 100 64-bit integers.*, got an array$/],
    [`ids=${'1,'.repeat(7_500)}`, /^ids: expected 1 to 100 64-bit integers.*, got "1,1,.*…$/],
    ['ids%5B%5D=1&ids%5B%5D=2', /^ids: expected under exactly this name, got "ids\[\]"$/],
    [
      'ids=1&limit=5&cursor=abc',
      /^limit: expected none beside ids, got "5"; cursor: expected none beside ids, got "abc"$/,
    ],
    [
      'Status=sold&category-id=x&limit=0',
      /^status: expected under.*"Status"; categoryId: expected under.*"category-id"; limit: .*"0"$/,
    ],
    ['status=sold&status=sold', /^status: expected one of available, pending, sold, got an array$/],
  ])('never becomes the whole list: %s', async (query, message) => {
    expectError(await service.call(`/pets?${query}`), 400, 'invalid_request', message);
  });

  test('ignores names that look like none of its own', async () => {
    const known = await service.call('/pets?limit=2');
    const answer = await service.call('/pets?limit=2&offset=1&sort=name&__proto__=x&page[]=9');
    expect(answer).toMatchObject({ status: 200, text: known.text });
  });
});
