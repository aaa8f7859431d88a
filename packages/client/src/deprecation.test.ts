import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createNoticeDeprecation } from './deprecation.ts';
import { createTell } from './hooks.ts';

const headers = new Headers({
  Deprecation: '@1795219200',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<https://store.example/docs#get-pet>; rel="deprecation", </v1/pets>; rel="successor-version"',
});
const sentence =
  'Animal Store: getPet is deprecated and ends on 2030-12-05. Use (await store.listPets({ ids: [id] })).pets[0]. See https://store.example/docs#get-pet';
const notice = (options: { onDeprecation?: (event: unknown) => void } = {}) =>
  createNoticeDeprecation(options, createTell(options));

beforeEach(() => {
  // Each test is a process of its own, as far as the client can see.
  Reflect.deleteProperty(globalThis, Symbol.for('@animal-store/client/shared/2'));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('a process is warned once of each operation in its life, whatever client or copy of the package sees it', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const first = notice();
  first('getPet', headers);
  first('getPet', headers);
  notice()('getPet', headers);
  vi.resetModules();
  const copy = await import('./deprecation.ts');
  expect(copy.createNoticeDeprecation).not.toBe(createNoticeDeprecation);
  copy.createNoticeDeprecation({}, createTell({}))('getPet', headers);
  first('listPets', new Headers({ Deprecation: '@1795219200', Sunset: 'someday' }));
  first('createPet', new Headers({ Sunset: 'x', Link: headers.get('Link') ?? '' }));

  expect(emitWarning.mock.calls).toEqual([
    [sentence, 'DeprecationWarning'],
    ['Animal Store: listPets is deprecated.', 'DeprecationWarning'],
  ]);
});

test.each([undefined, {}])('the console is warned where the process is %j', (process) => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('process', process);
  notice()('getPet', headers);
  expect(warn.mock.calls).toEqual([[sentence]]);
});

test('the hook of each client is told once, and nobody else', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const hooks = [vi.fn(), vi.fn()];
  for (const onDeprecation of hooks) {
    const tell = notice({ onDeprecation });
    tell('getPet', headers);
    tell('getPet', headers);
  }
  const event = {
    operation: 'getPet',
    message: sentence,
    sunsetAt: new Date('2030-12-05T00:00:00Z'),
    url: 'https://store.example/docs#get-pet',
  };
  expect(hooks.map(({ mock }) => mock.calls)).toEqual([[[event]], [[event]]]);
  expect(emitWarning).not.toHaveBeenCalled();
});
