// A Cloudflare Worker that returns how many animals are for sale. The API key is a secret of the worker:
// npx wrangler secret put ANIMAL_STORE_API_KEY

import { createClient } from '@animal-store/client';

interface Environment {
  ANIMAL_STORE_BASE_URL: string;
  ANIMAL_STORE_API_KEY: string;
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    // Creating a client for each request is cheap, and all clients of the worker share the quota
    // state.
    const store = createClient({
      baseUrl: environment.ANIMAL_STORE_BASE_URL,
      apiKey: environment.ANIMAL_STORE_API_KEY,
      // A visitor must not wait up to a minute until the quota resets. So a wait of more than 2 s
      // becomes an error.
      maxRetryAfterMs: 2_000,
    });
    const pets = store.eachPet({ status: 'available' }, { signal: request.signal });
    return Response.json({ available: (await pets.toArray({ max: 1_000 })).length });
  },
};
