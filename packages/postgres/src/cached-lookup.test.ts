import type { LookupFunction } from 'node:net';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { createCachedLookup } from './cached-lookup.ts';

const failure = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });

test('the DNS lookup returns the last known address while the name server fails', async () => {
  const addresses = new Map([['db.test', '10.0.0.1']]);
  const lookUp: LookupFunction = (name, _options, callback) => {
    const address = addresses.get(name);
    if (address === undefined) callback(failure, '', 0);
    else callback(null, address, 4);
  };
  const cachedLookup = createCachedLookup(lookUp);
  const ask = (name: string, options = {}) =>
    new Promise((resolve) => {
      cachedLookup(name, options, (error, address, family) => resolve(error ?? [address, family]));
    });
  expect(await ask('db.test')).toEqual(['10.0.0.1', 4]);
  addresses.delete('db.test');
  expect(await ask('db.test')).toEqual(['10.0.0.1', 4]);
  // The lookup fails for the address family IPv6 and for another host name, because no earlier
  // lookup has found such an address.
  expect(await ask('db.test', { family: 6 })).toBe(failure);
  expect(await ask('other.test')).toBe(failure);
  addresses.set('db.test', '10.0.0.2');
  expect(await ask('db.test')).toEqual(['10.0.0.2', 4]);
});

// Regression: while a name server did not respond, every new connection failed.
test('the DNS lookup returns the last known address when the name server does not respond in time, and sends only one query', async () => {
  const clock = createTestClock(0);
  const lookups: Parameters<LookupFunction>[2][] = [];
  const cachedLookup = createCachedLookup((_name, _options, callback) => {
    lookups.push(callback);
  }, clock);
  const answers: unknown[] = [];
  const ask = () => cachedLookup('db.test', {}, (error, address) => answers.push(error ?? address));
  ask();
  // If there is no earlier address of the name, the lookup waits for the name server.
  await clock.advance(60_000);
  expect(answers).toEqual([]);
  lookups[0]?.(null, '10.0.0.1', 4);
  ask();
  ask();
  await clock.advance(499);
  expect(answers).toEqual(['10.0.0.1']);
  await clock.advance(1);
  expect(answers).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1']);
  expect(lookups).toHaveLength(2);
  lookups[1]?.(null, '10.0.0.2', 4);
  ask();
  lookups[2]?.(null, '10.0.0.3', 4);
  expect(answers.slice(3)).toEqual(['10.0.0.3']);
});
