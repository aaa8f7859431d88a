// Shows how to test your own code with Mock Service Worker. Install it: npm install --save-dev msw
//
// Use another API key in each test, because clients with the same key share their quota state.

import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

const pets = [{ id: 1, name: 'Mia', categoryId: 3, status: 'available' }];

export const mockedStore = setupServer(
  http.get('https://store.test/v1/pets', () => HttpResponse.json(pets)),
  http.post('https://store.test/v1/pets', async ({ request }) =>
    HttpResponse.json({ id: 2, ...((await request.json()) as object) }, { status: 201 }),
  ),
);
