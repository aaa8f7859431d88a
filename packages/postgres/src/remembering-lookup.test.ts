import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { createRememberingLookup } from './remembering-lookup.ts';

const failure = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });

test('a lookup returns the last address while the name server fails', async () => {
  const addresses = new Map([['db.test', '10.0.0.1']]);
  const lookUp: LookupFunction = (name, _options, callback) => {
    const address = addresses.get(name);
    if (address === undefined) callback(failure, '', 0);
    else callback(null, address, 4);
  };
  const remembering = createRememberingLookup(lookUp);
  const ask = (name: string, options = {}) =>
    new Promise((resolve) => {
      remembering(name, options, (error, address, family) => resolve(error ?? [address, family]));
    });
  expect(await ask('db.test')).toEqual(['10.0.0.1', 4]);
  addresses.delete('db.test');
  expect(await ask('db.test')).toEqual(['10.0.0.1', 4]);
  // These names have no earlier result.
  expect(await ask('db.test', { family: 6 })).toBe(failure);
  expect(await ask('other.test')).toBe(failure);
  addresses.set('db.test', '10.0.0.2');
  expect(await ask('db.test')).toEqual(['10.0.0.2', 4]);
});
