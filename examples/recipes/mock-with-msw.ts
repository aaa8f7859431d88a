// Tests with Mock Service Worker: npm install --save-dev msw
//
// Use another API key in each test: clients with the same key share what they know of the quota.

import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

const pets = [{ id: 1, name: 'Mia', categoryId: 3, status: 'available' }];

export const mockedStore = setupServer(
  http.get('https://store.test/v1/pets', () => HttpResponse.json(pets)),
  http.post('https://store.test/v1/pets', async ({ request }) =>
    HttpResponse.json({ id: 2, ...((await request.json()) as object) }, { status: 201 }),
  ),
);
