import { findLink } from '@animal-store/contract';
import { describe, expect, test } from 'vitest';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { kindsOfThisRun } from '../support/databases.ts';
import { expectError } from '../support/expectations.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

type Pet = { id: number; status: string; categoryId: number | bigint };

/** A category that a double rounds. */
const wide = 9007199254740993n;

const publicUrl = 'https://pets.example.com';

describe.each(kindsOfThisRun)('pagination on %s', (kind) => {
  /** What was there before the first request: 40 sold, 5 pending, none available. */
  const seeded: Pet[] = [];

  const service = useService(kind, {
    env: { PUBLIC_URL: publicUrl },
    async prepare(db) {
      const pets = createPetRepository(db);
      for (let i = 0; i < 45; i += 1) {
        const status = i % 9 === 4 ? 'pending' : 'sold';
        const categoryId = i % 4 === 0 ? wide : i % 2;
        const { id } = await pets.create({ name: `${i}`, categoryId, status });
        seeded.push({ id, status, categoryId });
      }
    },
  });

  const sold = () => seeded.filter(({ status }) => status === 'sold').map(({ id }) => id);
  const idsOf = ({ body }: Answer) => (body as Pet[]).map(({ id }) => id);
  const nextOf = ({ headers }: Answer) => findLink(headers.get('Link') ?? '', 'next');

  /** A page's next one, as the path that `call` takes. */
  function pathOfNext(answer: Answer): string | undefined {
    const next = nextOf(answer);
    expect(next?.startsWith(`${publicUrl}/v1/pets?`) ?? true).toBe(true);
    return next?.slice(`${publicUrl}/v1`.length);
  }

  async function cursorOf(path: string): Promise<string> {
    const cursor = new URL(nextOf(await service.call(path)) ?? '').searchParams.get('cursor');
    expect(cursor).toMatch(/^[\w-]+$/);
    return cursor ?? '';
  }

  /** Follows the links to the end. */
  async function walk(path: string, onPage: () => Promise<unknown> = async () => {}) {
    const pages: number[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const answer: Answer = await service.call(next);
      expect(answer.status).toBe(200);
      pages.push(idsOf(answer));
      next = pathOfNext(answer);
      await onPage();
    }
    return pages;
  }

  describe('walking', () => {
    test.each([1, 7, 20, 39])('pages of %d give every animal exactly once', async (limit) => {
      const pages = await walk(`/pets?status=sold&limit=${limit}`);
      expect(pages.flat()).toEqual(sold());
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    });

    test.each([
      [40, 1],
      [20, 2],
      [10, 4],
      [8, 5],
    ])('an exact multiple of %d ends with a full page and no empty one', async (limit, count) => {
      const pages = await walk(`/pets?status=sold&limit=${limit}`);
      expect(pages.map((page) => page.length)).toEqual(Array.from({ length: count }, () => limit));
    });

    test('without a limit, pages have 20 animals, the following ones too', async () => {
      expect((await walk('/pets?status=sold')).map((page) => page.length)).toEqual([20, 20]);
    });

    test.each([
      [`categoryId=${wide}`, ({ categoryId }: Pet) => categoryId === wide],
      ['categoryId=9007199254740992', () => false],
      ['categoryId=1', ({ categoryId }: Pet) => categoryId === 1],
      ['categoryId=1&status=sold', (pet: Pet) => pet.categoryId === 1 && pet.status === 'sold'],
      [
        'categoryId=1&status=pending',
        (pet: Pet) => pet.categoryId === 1 && pet.status === 'pending',
      ],
      ['categoryId=1&status=available', () => false],
      ['categoryId=-9223372036854775808', () => false],
    ])('pages of %s give each of these animals exactly once', async (query, isWanted) => {
      // Other tests add animals of category 1 that are pending.
      const known = new Set(seeded.map(({ id }) => id));
      for (const limit of [1, 3, 20]) {
        const pages = await walk(`/pets?${query}&limit=${limit}`);
        const ids = pages.flat().filter((id) => known.has(id));
        expect(ids).toEqual(seeded.filter(isWanted).map(({ id }) => id));
      }
    });

    test('an empty list has no next page', async () => {
      const answer = await service.call('/pets?status=available');
      expect(answer.text).toBe('[]');
      expect(answer.headers.get('Link')).toBeNull();
    });

    test('the limit may change from page to page', async () => {
      const cursor = await cursorOf('/pets?status=sold&limit=3');
      const answer = await service.call(`/pets?status=sold&limit=5&cursor=${cursor}`);
      expect(idsOf(answer)).toEqual(sold().slice(3, 8));
    });

    test('the same cursor gives the same page again', async () => {
      const next = pathOfNext(await service.call('/pets?status=sold&limit=3')) ?? '';
      expect((await service.call(next)).text).toBe((await service.call(next)).text);
    });

    test('animals added meanwhile neither repeat nor hide the others', async () => {
      const added: number[] = [];
      let pagesSeen = 0;
      const pages = await walk('/pets?limit=10', async () => {
        pagesSeen += 1;
        if (pagesSeen > 3) return;
        const created = await Promise.all(
          ['sold', 'pending', 'pending'].map((status) =>
            // Not sold nor available, which other tests count.
            service.call('/pets', {
              json: JSON.stringify({ name: status, categoryId: 1, status: 'pending' }),
            }),
          ),
        );
        added.push(...created.map(({ body }) => (body as Pet).id));
      });
      expect(added).toHaveLength(9);
      expect(pages.flat()).toEqual([...seeded.map(({ id }) => id), ...added.sort((a, b) => a - b)]);
    });

    test('animals added while pages are read at once neither repeat nor hide the others', async () => {
      const walking = walk('/pets?status=pending&limit=2');
      const created = await Promise.all(
        Array.from({ length: 30 }, () =>
          service.call('/pets', { json: '{"name":"Late","categoryId":1,"status":"pending"}' }),
        ),
      );
      expect(created.every(({ status }) => status === 201)).toBe(true);
      const ids = (await walking).flat();
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      const known = seeded.filter(({ status }) => status === 'pending').map(({ id }) => id);
      expect(ids.slice(0, known.length)).toEqual(known);
    });
  });

  describe('the link', () => {
    test('keeps the filter and the limit', async () => {
      const next = new URL(nextOf(await service.call('/pets?status=sold&limit=3')) ?? '');
      expect(next.origin + next.pathname).toBe(`${publicUrl}/v1/pets`);
      expect([...next.searchParams.keys()].sort()).toEqual(['cursor', 'limit', 'status']);
      expect(next.searchParams.get('status')).toBe('sold');
      expect(next.searchParams.get('limit')).toBe('3');
    });

    test('keeps the category, exactly', async () => {
      const answer = await service.call(`/pets?categoryId=${wide}&status=sold&limit=1`);
      const next = new URL(nextOf(answer) ?? '');
      expect([...next.searchParams.keys()].sort()).toEqual([
        'categoryId',
        'cursor',
        'limit',
        'status',
      ]);
      expect(next.searchParams.get('categoryId')).toBe(String(wide));
    });

    test('has no filter where there was none', async () => {
      const next = new URL(nextOf(await service.call('/pets?limit=3')) ?? '');
      expect(next.searchParams.has('status')).toBe(false);
    });

    test('does not carry unknown parameters, which might be secrets', async () => {
      const link = nextOf(await service.call('/pets?limit=3&api_key=hush&x=%0d%0aSet-Cookie:a'));
      expect(link).not.toMatch(/hush|Set-Cookie|api_key/);
    });

    test('is exactly one link in the form of RFC 8288', async () => {
      const { headers } = await service.call('/pets?limit=3');
      expect(headers.get('Link')).toMatch(
        /^<https:\/\/pets\.example\.com\/v1\/pets\?limit=3&cursor=[\w-]+>; rel="next"$/,
      );
    });

    test.each([
      ['Host', 'Host: evil.example'],
      ['X-Forwarded-Host', 'Host: a\r\nX-Forwarded-Host: evil.example'],
      ['Forwarded', 'Host: a\r\nForwarded: host=evil.example;proto=http'],
    ])('is never built from %s', async (_header, lines) => {
      const [answer] = await sendRaw(
        service.server.origin,
        rawRequest({
          line: 'GET /v1/pets?limit=3 HTTP/1.1',
          headers: [lines, `Authorization: Bearer ${service.tokens.enterprise}`],
        }),
      );
      expect(answer?.status).toBe(200);
      expect(answer?.headers.get('Link')).toMatch(/^<https:\/\/pets\.example\.com\/v1\/pets\?/);
    });

    test('is on the answer to HEAD, too', async () => {
      const answer = await service.call('/pets?status=sold&limit=3', { method: 'HEAD' });
      expect(nextOf(answer)).toBe(nextOf(await service.call('/pets?status=sold&limit=3')));
    });
  });

  describe('a cursor', () => {
    const refuse = async (query: string) =>
      expectError(
        await service.call(`/pets?${query}`),
        400,
        'invalid_request',
        /^cursor: expected /,
      );

    test.each([
      ['of no filter is refused with one', '/pets?limit=3', 'status=sold&'],
      ['of a filter is refused without one', '/pets?status=sold&limit=3', ''],
      ['of a filter is refused with another', '/pets?status=sold&limit=3', 'status=pending&'],
      ['of no category is refused with one', '/pets?limit=3', 'categoryId=1&'],
      ['of a category is refused without one', '/pets?categoryId=1&limit=3', ''],
      ['of a category is refused with another', '/pets?categoryId=1&limit=3', 'categoryId=0&'],
    ])('%s', async (_what, from, query) => {
      await refuse(`${query}cursor=${await cursorOf(from)}`);
    });

    test('is refused with any one character changed', async () => {
      const cursor = await cursorOf('/pets?limit=3');
      for (const [i, character] of [...cursor].entries()) {
        const changed = character === 'A' ? 'B' : 'A';
        await refuse(`cursor=${cursor.slice(0, i)}${changed}${cursor.slice(i + 1)}`);
      }
    });

    test('is refused at any lesser length', async () => {
      const cursor = await cursorOf('/pets?limit=3');
      for (let length = 0; length < cursor.length; length += 1) {
        await refuse(`cursor=${cursor.slice(0, length)}`);
      }
    });

    test.each([
      ['empty', ''],
      ['a number', '5'],
      ['huge', 'A'.repeat(7_000)],
      ['huge digits', '9'.repeat(7_000)],
      ['NUL', '%00'],
      ['a line break', '%0d%0aLink:%20x'],
      ['SQL', "'%20or%201=1--"],
      ['JSON', '%7B%22id%22:1%7D'],
      ['beyond ASCII', '%F0%9F%90%95'],
    ])('that is %s is refused', async (_what, cursor) => {
      await refuse(`cursor=${cursor}`);
    });

    test('with something appended is refused', async () => {
      const cursor = await cursorOf('/pets?limit=3');
      for (const tail of ['A', '=', '==', '%20', '%0a', '.'])
        await refuse(`cursor=${cursor}${tail}`);
    });

    test('given twice is refused', async () => {
      const cursor = await cursorOf('/pets?limit=3');
      await refuse(`cursor=${cursor}&cursor=${cursor}`);
    });

    // On Postgres, consistency.test.ts shows it with another replica.
    if (kind === 'embedded') {
      test('of another server on the same data holds', async () => {
        const cursor = await cursorOf('/pets?status=sold&limit=3');
        await service.restart();
        const answer = await service.call(`/pets?status=sold&limit=3&cursor=${cursor}`);
        expect(idsOf(answer)).toEqual(sold().slice(3, 6));
      });
    }
  });
});
