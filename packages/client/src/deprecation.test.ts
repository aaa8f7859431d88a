import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, startScriptedServer } from '../test/scripted-server.ts';

const deprecated = {
  Deprecation: '@1795219200',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<https://store.example/docs#get-pet>; rel="deprecation", </v1/pets>; rel="successor-version"',
};

beforeEach(() => {
  // Each test is a process of its own, as far as the client can see.
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('a deprecated operation warns once, in the way of the process', async () => {
  const { createClient } = await import('./client.ts');
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on('warning', collect);
  await using server = await startScriptedServer(
    answer(200, '{"id":1,"name":"Mia","categoryId":3}', deprecated),
  );
  const store = createClient({ baseUrl: server.baseUrl, apiKey: 'key' });

  const warned = once(process, 'warning');
  await Promise.all([store.getPet(1), store.getPet(2)]);
  await createClient({ baseUrl: server.baseUrl, apiKey: 'other' }).getPet(3);
  await warned;
  process.off('warning', collect);

  expect(warnings.map(({ name, message }) => ({ name, message }))).toEqual([
    {
      name: 'DeprecationWarning',
      message:
        'Animal Store: getPet is deprecated and ends on 2030-12-05. See https://store.example/docs#get-pet',
    },
  ]);
});

test('an operation that is not deprecated does not warn', async () => {
  const { warnOfDeprecation } = await import('./deprecation.ts');
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  warnOfDeprecation('listPets', new Headers({ Sunset: deprecated.Sunset }));
  expect(emitWarning).not.toHaveBeenCalled();
});

test('where there is no process, the console warns', async () => {
  const { warnOfDeprecation } = await import('./deprecation.ts');
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  vi.stubGlobal('process', undefined);
  warnOfDeprecation('getPet', new Headers({ Deprecation: '@1795219200', Sunset: 'someday' }));
  warnOfDeprecation('getPet', new Headers(deprecated));
  expect(warn.mock.calls).toEqual([['Animal Store: getPet is deprecated.']]);
});
