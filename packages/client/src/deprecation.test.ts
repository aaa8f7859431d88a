import { beforeEach, expect, test, vi } from 'vitest';
import { createReportDeprecation } from './deprecation.ts';
import { createReportEvent } from './hooks.ts';

const url = 'https://store.example/docs#get-pet';
const headers = new Headers({
  Deprecation: '@1795219200',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: `</v1/pets>; rel="successor-version", <${url}>; rel="deprecation"`,
});
const message = `Animal Store: getPet is deprecated and ends on 2030-12-05. Use (await store.listPets({ ids: [id] })).pets[0]. See ${url}`;
const notice = (options: { onDeprecation?: (event: unknown) => void } = {}) =>
  createReportDeprecation(options, createReportEvent(options));

beforeEach(() => {
  // Each test begins like a new process, which has not warned about any operation yet.
  Reflect.deleteProperty(globalThis, Symbol.for('@animal-store/client/shared/3'));
});

test('the client emits one process warning for each deprecated operation, even when several clients or copies of the package call this operation', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const first = notice();
  first('getPet', headers);
  first('getPet', headers);
  vi.resetModules();
  const copy = await import('./deprecation.ts');
  expect(copy.createReportDeprecation).not.toBe(createReportDeprecation);
  copy.createReportDeprecation({}, createReportEvent({}))('getPet', headers);
  first('listPets', new Headers({ Deprecation: '@1795219200', Sunset: 'someday' }));
  first('createPet', new Headers({ Sunset: 'x', Link: headers.get('Link') ?? '' }));
  // A client with an `onDeprecation` hook calls the hook once, and the process emits no warning.
  const onDeprecation = vi.fn();
  const warn = notice({ onDeprecation });
  warn('getPet', headers);
  warn('getPet', headers);

  expect(emitWarning.mock.calls).toEqual([
    [message, 'DeprecationWarning'],
    ['Animal Store: listPets is deprecated.', 'DeprecationWarning'],
  ]);
  const sunsetAt = new Date('2030-12-05T00:00:00Z');
  const event = { operation: 'getPet', message, sunsetAt, url };
  expect(onDeprecation.mock.calls).toEqual([[event]]);
});

test.each([undefined, {}])(
  'the client writes the deprecation warning to the console when `process` is %j',
  (process) => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubGlobal('process', process);
    notice()('getPet', headers);
    expect(warn.mock.calls).toEqual([[message]]);
  },
);
