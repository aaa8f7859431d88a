// Shows how to test your own code with undici's MockAgent. Install it: npm install --save-dev
// undici
//
// Use another API key in each test, because clients with the same key share their quota state.

import { type AnimalStoreClient, createClient } from '@animal-store/client';
import { fetch, MockAgent } from 'undici';

export function createMockedClient(apiKey: string): AnimalStoreClient {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('https://store.test')
    .intercept({ path: '/v1/pets', method: 'GET' })
    .reply(200, [{ id: 1, name: 'Mia', categoryId: 3, status: 'available' }]);
  return createClient({
    baseUrl: 'https://store.test/v1',
    apiKey,
    fetch: (url, init) => fetch(url, { ...init, dispatcher }),
  });
}
