import { describe, expect, test } from 'vitest';
import { createClient, type Page, type Pet } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answerJson, refuse, type Step, scriptFetch } from './scripted-fetch.ts';

const pets = (from: number, to: number): Pet[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: from + index,
    name: `Pet ${from + index}`,
    categoryId: 1,
  }));

function page(animals: Pet[], link?: string): Step {
  return answerJson(200, animals, link === undefined ? {} : { Link: link });
}

const next = (query: string) => `<https://store.example/v1/pets?${query}>; rel="next"`;
const threePages = [
  page(pets(1, 2), next('limit=2&cursor=a%2B1')),
  page(pets(3, 4), `</docs>; rel="help", ${next('cursor=b')}`),
  page(pets(5, 5)),
];

function open(steps: Step[] = threePages) {
  const script = scriptFetch(...steps);
  const store = createClient({
    baseUrl: 'http://127.0.0.1:3000/v1',
    apiKey: 'ast_key',
    fetch: script.fetch,
    maxRetries: 0,
  });
  return { store, urls: () => script.requests.map(({ url }) => url), script };
}

const list = 'http://127.0.0.1:3000/v1/pets';

describe('eachPet', () => {
  test('goes through all pages, at the address of the client', async () => {
    const { store, urls } = open();
    const seen: number[] = [];
    for await (const { id } of store.eachPet({ status: 'sold' })) seen.push(id);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(urls()).toEqual([
      `${list}?status=sold&limit=100`,
      `${list}?status=sold&limit=100&cursor=a%2B1`,
      `${list}?status=sold&limit=100&cursor=b`,
    ]);
  });

  test('asks for given animals at once, without a length', async () => {
    const { store, urls } = open([page(pets(1, 2))]);
    expect(await store.eachPet({ ids: [1, 2] }).toArray()).toHaveLength(2);
    expect(urls()).toEqual([`${list}?ids=1%2C2`]);
  });

  test('has pages of the length it is told, and starts where it is told', async () => {
    const { store, urls } = open();
    for await (const _pet of store.eachPet({ limit: 2, cursor: 'z' })) break;
    expect(urls()).toEqual([`${list}?limit=2&cursor=z`]);
  });

  test('asks for a page only when the loop comes to it, and for none before', async () => {
    const { store, urls } = open();
    const animals = store.eachPet();
    expect(urls()).toHaveLength(0);
    const iterator = animals[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    expect(urls()).toHaveLength(1);
    await iterator.next();
    expect(urls()).toHaveLength(2);
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(urls()).toHaveLength(2);
  });

  test('begins anew with each loop', async () => {
    const { store } = open([...threePages, ...threePages]);
    const animals = store.eachPet();
    expect(await animals.toArray()).toEqual(pets(1, 5));
    expect(await animals.toArray()).toEqual(pets(1, 5));
  });

  test('fails at the page that fails, after those before it', async () => {
    const { store } = open([page(pets(1, 2), next('cursor=a')), refuse(400, 'invalid_request')]);
    const seen: number[] = [];
    const error = await rejection(
      (async () => {
        for await (const { id } of store.eachPet()) seen.push(id);
      })(),
    );
    expect(error).toMatchObject({ name: 'BadRequestError' });
    expect(seen).toEqual([1, 2]);
  });

  test('passes its options on to each page', async () => {
    const { store, script } = open();
    const controller = new AbortController();
    const options = { signal: controller.signal, headers: { 'X-Trace': 't' } };
    const error = await rejection(
      (async () => {
        for await (const { id } of store.eachPet({}, options)) if (id === 3) controller.abort();
      })(),
    );
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(script.requests.map(({ init }) => new Headers(init.headers).get('X-Trace'))).toEqual([
      't',
      't',
    ]);
  });

  test('goes on over an empty page', async () => {
    const { store } = open([page([], next('cursor=a')), page(pets(1, 1))]);
    expect(await store.eachPet().toArray()).toEqual(pets(1, 1));
  });
});

describe('pages', () => {
  test('gives page after page, each with the cursor of the next', async () => {
    const { store, urls } = open();
    const pages: Page[] = [];
    for await (const page of store.eachPet({ limit: 2 }).pages()) {
      pages.push(page);
      expect(urls()).toHaveLength(pages.length);
    }
    expect(pages).toEqual([
      { pets: pets(1, 2), nextCursor: 'a+1', resumeCursor: 'a+1' },
      { pets: pets(3, 4), nextCursor: 'b', resumeCursor: 'b' },
      { pets: pets(5, 5), nextCursor: undefined, resumeCursor: '~5~b' },
    ]);
  });

  test('can be resumed at a cursor', async () => {
    const { store, urls } = open([page(pets(5, 5))]);
    for await (const { pets: last } of store.eachPet({ cursor: 'b' }).pages()) {
      expect(last).toEqual(pets(5, 5));
    }
    expect(urls()).toEqual([`${list}?cursor=b&limit=100`]);
  });
});

test('a server that always answers with the same cursor does not make an endless loop', async () => {
  const { store, urls } = open([page(pets(1, 2), next('cursor=a'))]);
  const error = await rejection(store.eachPet().toArray());
  expect(error).toMatchObject({
    name: 'AnimalStoreError',
    message: 'listPets: the next page is the same page',
  });
  expect(urls()).toHaveLength(2);
});

test('after an abort no animal follows, not even one that has arrived', async () => {
  const { store, urls } = open();
  const controller = new AbortController();
  const seen: number[] = [];
  const error = await rejection(
    (async () => {
      for await (const { id } of store.eachPet({}, { signal: controller.signal })) {
        seen.push(id);
        controller.abort();
      }
    })(),
  );
  expect(error).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
  expect(seen).toEqual([1]);
  expect(urls()).toHaveLength(1);
});

describe('toArray', () => {
  test.each([
    [0, [], []],
    [0.5, [], []],
    [1, [1], ['limit=1']],
    [2, [1, 2], ['limit=2']],
    [2.5, [1, 2], ['limit=2']],
    [3, [1, 2, 3], ['limit=3', 'limit=3&cursor=a%2B1']],
    [100, [1, 2, 3, 4, 5], ['limit=100', 'limit=100&cursor=a%2B1', 'limit=100&cursor=b']],
    [101, [1, 2, 3, 4, 5], ['limit=100', 'limit=100&cursor=a%2B1', 'limit=100&cursor=b']],
  ])('collects %f at most, with no more requests than it takes', async (max, ids, queries) => {
    const { store, urls } = open();
    const animals = await store.eachPet().toArray({ max });
    expect(animals.map(({ id }) => id)).toEqual(ids);
    expect(urls()).toEqual(queries.map((query) => `${list}?${query}`));
  });

  test('keeps the length of pages that it is told', async () => {
    const { store, urls } = open();
    expect(await store.eachPet({ limit: 50 }).toArray({ max: 1 })).toEqual(pets(1, 1));
    expect(urls()).toEqual([`${list}?limit=50`]);
  });

  test('survives a page of any length', async () => {
    const { store } = open([() => new Response(`[${'1,'.repeat(200_000)}1]`)]);
    expect(await store.eachPet().toArray()).toHaveLength(200_001);
  });

  test.each([{}, { max: undefined }, { max: Number.POSITIVE_INFINITY }])(
    'collects all with %j',
    async (options) => {
      const { store } = open();
      expect(await store.eachPet().toArray(options)).toEqual(pets(1, 5));
    },
  );

  test.each([-1, Number.NaN])('refuses a max of %f', async (max) => {
    const { store, urls } = open();
    expect(await rejection(store.eachPet().toArray({ max }))).toEqual(
      new TypeError('max: expected a number from 0'),
    );
    expect(urls()).toEqual([]);
  });
});

describe('resumeCursor', () => {
  test('of a last page leads to what was added since, once', async () => {
    const { store, urls } = open([
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
    expect(await rest()).toEqual([5]);
    expect(await rest()).toEqual([6, 7]);
    expect(await rest()).toEqual([]);
    expect(await rest()).toEqual(Array.from({ length: 98 }, (_, index) => 8 + index));
    expect(cursor).toBe('~105~c');
    expect(urls()).toEqual([
      ...Array(4).fill(`${list}?cursor=b&limit=100`),
      `${list}?cursor=c&limit=100`,
    ]);
  });

  test('of the only page, also an empty one, leads to what was added since', async () => {
    const { store, urls } = open([page([]), page(pets(1, 1)), page(pets(1, 2))]);
    const empty = await store.listPets();
    expect(empty.resumeCursor).toBe('~0~');
    const first = await store.listPets({ cursor: empty.resumeCursor });
    expect(first).toMatchObject({ pets: pets(1, 1), resumeCursor: '~1~' });
    const second = await store.listPets({ cursor: first.resumeCursor });
    expect(second).toMatchObject({ pets: pets(2, 2), resumeCursor: '~2~' });
    expect(urls()).toEqual([list, list, list]);
  });
});

describe('nextCursor', () => {
  test.each([
    [next('cursor=abc'), 'abc'],
    [next('limit=5&cursor=a%2Fb%3D'), 'a/b='],
    ['</v1/pets?cursor=x#top>; rel="next"', 'x'],
    ['<?cursor=x>; rel=next', 'x'],
    [next('page=2'), undefined],
    ['</v1/pets>; rel="next"', undefined],
    ['</v1/pets?cursor=x>; rel="prev"', undefined],
    ['<http://[>; rel="next"', undefined],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('of the header %j is %j', async (link, expected) => {
    const { store } = open([page([], link)]);
    expect(await store.listPets()).toMatchObject({ pets: [], nextCursor: expected });
  });
});
