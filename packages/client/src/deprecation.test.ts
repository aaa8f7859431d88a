import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createNoticeDeprecation } from './deprecation.ts';
import { createTell } from './hooks.ts';

const link = '<https://store.example/docs#get-pet>; rel="deprecation"';
const headers = new Headers({
  Deprecation: '@1795219200',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: `${link}, </v1/pets>; rel="successor-version"`,
});
const sentence =
  'Animal Store: getPet is deprecated and ends on 2030-12-05. Use (await store.listPets({ ids: [id] })).pets[0]. See https://store.example/docs#get-pet';

const tell = createTell({});

beforeEach(() => {
  // Each test is a process of its own, as far as the client can see.
  Reflect.deleteProperty(globalThis, Symbol.for('@animal-store/client/shared/2'));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a deprecated operation', () => {
  test('warns once in the life of a process, in its own way', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const notice = createNoticeDeprecation({}, tell);

    notice('getPet', headers);
    notice('getPet', headers);
    createNoticeDeprecation({}, tell)('getPet', headers);

    expect(emitWarning.mock.calls).toEqual([[sentence, 'DeprecationWarning']]);
  });

  test('warns once whatever copy of this package sees it', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    createNoticeDeprecation({}, tell)('getPet', headers);

    vi.resetModules();
    const copy = await import('./deprecation.ts');
    expect(copy.createNoticeDeprecation).not.toBe(createNoticeDeprecation);
    copy.createNoticeDeprecation({}, tell)('getPet', headers);

    expect(emitWarning).toHaveBeenCalledTimes(1);
  });

  test('warns for each operation', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const notice = createNoticeDeprecation({}, tell);

    notice('getPet', headers);
    notice('listPets', new Headers({ Deprecation: '@1795219200' }));

    expect(emitWarning.mock.calls.map(([warning]) => warning)).toEqual([
      sentence,
      'Animal Store: listPets is deprecated.',
    ]);
  });

  test('warns on the console where there is no process', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubGlobal('process', undefined);
    const notice = createNoticeDeprecation({}, tell);

    notice('getPet', new Headers({ Deprecation: '@1795219200', Sunset: 'someday' }));
    notice('getPet', headers);

    expect(warn.mock.calls).toEqual([
      ['Animal Store: getPet is deprecated. Use (await store.listPets({ ids: [id] })).pets[0].'],
    ]);
  });

  test('warns on the console where the process cannot', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubGlobal('process', {});
    createNoticeDeprecation({}, tell)('getPet', headers);
    expect(warn.mock.calls).toEqual([[sentence]]);
  });

  test('is told to the handler of each client once, and to nobody else', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const handlers = [vi.fn(), vi.fn()] as const;

    for (const handler of handlers) {
      const notice = createNoticeDeprecation(
        { onDeprecation: handler },
        createTell({ onDeprecation: handler }),
      );
      notice('getPet', headers);
      notice('getPet', headers);
    }

    for (const handler of handlers) {
      expect(handler.mock.calls).toEqual([
        [
          {
            operation: 'getPet',
            message: sentence,
            sunsetAt: new Date('2030-12-05T00:00:00Z'),
            url: 'https://store.example/docs#get-pet',
          },
        ],
      ]);
    }
    expect(emitWarning).not.toHaveBeenCalled();
  });
});

test('an operation that is not deprecated is not told of', () => {
  const handler = vi.fn();
  createNoticeDeprecation({ onDeprecation: handler }, createTell({ onDeprecation: handler }))(
    'listPets',
    new Headers({ Sunset: 'x', Link: link }),
  );
  expect(handler).not.toHaveBeenCalled();
});
