import { describe, expect, test } from 'vitest';
import type { Page, Pet } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answerJson, openStore, refuse, type Step } from './scripted-fetch.ts';

const pets = (from: number, to: number): Pet[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: from + index,
    name: `Pet ${from + index}`,
    categoryId: 1,
  }));

const page = (animals: Pet[], link?: string): Step =>
  answerJson(200, animals, link === undefined ? {} : { Link: link });
const next = (query: string) => `<https://elsewhere.example/v1/pets?${query}>; rel="next"`;
const threePages = [
  page(pets(1, 2), next('limit=2&cursor=a%2B1')),
  page(pets(3, 4), `</docs>; rel="help", ${next('cursor=b')}`),
  page(pets(5, 5)),
];
const open = (steps: Step[] = threePages) => openStore(steps, { maxRetries: 0 });

describe('the method eachPet', () => {
  test.each([
    [{ ids: [1, 2] }, 'GET /pets?ids=1%2C2'],
    [{ limit: 50, cursor: 'z' }, 'GET /pets?limit=50&cursor=z'],
  ])('eachPet sends the properties of its argument %j as query parameters', async (query, line) => {
    const { store, script } = open([page(pets(1, 2))]);
    await store.eachPet(query, {}).toArray({ max: 1 });
    expect(script.lines).toEqual([line]);
  });

  test('eachPet continues after an empty page, and rejects at a failed page after it has yielded the earlier pages', async () => {
    const pages = [page([], next('cursor=a')), page(pets(1, 2), next('cursor=b'))];
    const { store } = open([...pages, refuse(400, 'invalid_request')]);
    const seen: Pet[] = [];
    const loop = async () => {
      for await (const pet of store.eachPet()) seen.push(pet);
    };
    expect(await rejection(loop())).toMatchObject({ status: 400 });
    expect(seen).toEqual(pets(1, 2));
  });

  test('eachPet yields no more animals after an abort, even if further animals have already arrived', async () => {
    const { store, script } = open();
    const controller = new AbortController();
    const options = { signal: controller.signal, headers: { 'X-Trace': 't' } };
    const seen: number[] = [];
    const loop = async () => {
      for await (const { id } of store.eachPet({}, options)) {
        if (seen.push(id) === 3) controller.abort();
      }
    };
    expect(await rejection(loop())).toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([1, 2, 3]);
    // The options of the call, such as its headers, apply to the request of each page.
    expect(script.fields('X-Trace')).toEqual(['t', 't']);
  });

  // Regression: the loop over `eachPet` never ended, because only the cursors of pages were
  // compared.
  test('eachPet rejects when a page repeats the animals of an earlier page, even if the link to the next page has a new cursor', async () => {
    const first = page(pets(1, 2), next('cursor=a'));
    const { store, script } = open([
      first,
      page(pets(3, 4), next('cursor=b')),
      page(pets(1, 2), next('cursor=c')),
    ]);
    const error = await rejection(store.eachPet().toArray());
    expect(error).toMatchObject({ name: 'AnimalStoreError', operation: 'listPets', attempts: 1 });
    expect(error).toHaveProperty(
      'message',
      'listPets: the next page repeats animals of an earlier page; a proxy or a cache may repeat responses',
    );
    expect(script.lines.at(-1)).toBe('GET /pets?limit=100&cursor=b');
  });

  test('eachPet rejects when the server always responds with the same cursor', async () => {
    const { store, script } = open([page(pets(1, 2), next('cursor=a'))]);
    expect(await rejection(store.eachPet().toArray())).toMatchObject({
      name: 'AnimalStoreError',
      message:
        'listPets: the next page has the same cursor as this page; a proxy or a cache may repeat responses',
    });
    expect(script.requests).toHaveLength(2);
  });
});

describe('the method toArray', () => {
  test.each([
    [0.5, 0, []],
    [1, 1, ['limit=1']],
    [2.5, 2, ['limit=2']],
    [3, 3, ['limit=3', 'limit=3&cursor=a%2B1']],
    [101, 5, ['limit=100', 'limit=100&cursor=a%2B1', 'limit=100&cursor=b']],
    [undefined, 5, ['limit=100', 'limit=100&cursor=a%2B1', 'limit=100&cursor=b']],
  ])(
    '`toArray` with the option `max: %s` sends no more requests than necessary',
    async (max, count, queries) => {
      const { store, script } = open();
      const animals = store.eachPet({ status: 'sold' });
      expect(script.lines).toEqual([]);
      expect(await animals.toArray({ max })).toEqual(pets(1, count));
      expect(script.lines).toEqual(queries.map((query) => `GET /pets?status=sold&${query}`));
    },
  );

  test.each([-1, Number.NaN])(
    '`toArray` refuses the invalid value %f of the option `max`',
    async (max) => {
      const expected = new TypeError('max: expected 0 or a positive number');
      expect(await rejection(open().store.eachPet().toArray({ max }))).toEqual(expected);
    },
  );
});

describe('the method pages', () => {
  test('`pages` yields one page after the other, each with the cursor of the next page', async () => {
    const { store, script } = open();
    const seen: Page[] = [];
    for await (const page of store.pages({ limit: 2 })) {
      seen.push(page);
      expect(script.requests).toHaveLength(seen.length);
    }
    expect(seen).toEqual([
      { pets: pets(1, 2), nextCursor: 'a+1', resumeCursor: 'a+1' },
      { pets: pets(3, 4), nextCursor: 'b', resumeCursor: 'b' },
      { pets: pets(5, 5), nextCursor: undefined, resumeCursor: '~5~b' },
    ]);
  });

  test('a loop over `pages` that starts at the `resumeCursor` of the last page yields each animal that was added later exactly once', async () => {
    const { store, script } = open([
      page(pets(5, 5)),
      page(pets(5, 7)),
      page(pets(5, 7)),
      page(pets(5, 104), next('cursor=c')),
      page(pets(105, 105)),
    ]);
    let cursor: string | undefined = 'b';
    async function rest(): Promise<number[]> {
      const seen: number[] = [];
      for await (const { pets, resumeCursor } of store.pages({ cursor })) {
        seen.push(...pets.map(({ id }) => id));
        cursor = resumeCursor;
      }
      return seen;
    }
    const added = [await rest(), await rest(), await rest(), await rest()];
    expect(added).toEqual([[5], [6, 7], [], pets(8, 105).map(({ id }) => id)]);
    expect(cursor).toBe('~105~c');
    const first = 'GET /pets?cursor=b&limit=100';
    expect(script.lines).toEqual([first, first, first, first, 'GET /pets?cursor=c&limit=100']);
  });

  test('listPets returns the animals that were added later when it gets the `resumeCursor` of an empty list', async () => {
    const { store } = open([page([]), page(pets(1, 1)), page(pets(1, 2))]);
    const empty = await store.listPets();
    const first = await store.listPets({ cursor: empty.resumeCursor });
    const second = await store.listPets({ cursor: first.resumeCursor });
    expect([empty, first, second]).toMatchObject([
      { pets: [], resumeCursor: '~0~' },
      { pets: pets(1, 1), resumeCursor: '~1~' },
      { pets: pets(2, 2), resumeCursor: '~2~' },
    ]);
  });

  test.each([
    [next('limit=5&cursor=a%2Fb%3D'), 'a/b='],
    ['</v1/pets?cursor=x#top>; rel="next"', 'x'],
    ['<?cursor=x>; rel=next', 'x'],
    ['</v1/pets>; rel="next"', undefined],
    [undefined, undefined],
  ])(
    'for a response with the Link header %j, listPets returns a page with the `nextCursor` %j',
    async (link, expected) => {
      const { store } = open([page([], link)]);
      expect(await store.listPets()).toMatchObject({ pets: [], nextCursor: expected });
    },
  );
});
