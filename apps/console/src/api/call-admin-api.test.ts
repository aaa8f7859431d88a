// @vitest-environment happy-dom

import { afterEach, expect, test, vi } from 'vitest';
import { call } from './call-admin-api.ts';
import { ConnectionFailure } from './failures.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const noResponse = () => Promise.reject(new TypeError('Failed to fetch'));
const halfBody = async () => new Response('{"key":', { status: 201 });

// Regression: the page only said that the service does not respond, although the service had
// created the key. An operator who tried again created a second key.
test.each([
  ['no response', noResponse],
  ['half of a response', halfBody],
])('the console says that a change may have been made when it receives %s', async (_, fetch) => {
  vi.stubGlobal('fetch', fetch);
  const failure = await call('createKey').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConnectionFailure);
  expect(failure).toMatchObject({
    message:
      'The service does not respond, but it may have made the change. Check the audit log before you try again.',
  });
});

test('the console says that the service does not respond when the response to a read is lost', async () => {
  vi.stubGlobal('fetch', noResponse);
  await expect(call('listKeys')).rejects.toMatchObject({
    message: 'The service does not respond.',
  });
});

test('a request that the page has cancelled is not reported as a failure of the connection', async () => {
  vi.stubGlobal('fetch', noResponse);
  const signal = AbortSignal.abort();
  await expect(call('listKeys', { signal })).rejects.toBe(signal.reason);
});
