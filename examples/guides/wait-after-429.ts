import { createClient } from '@animal-store/client';

// The client waits automatically. After a 429, it waits as long as the service asks. It also waits
// before a call that would exceed the quota.
const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
  maxRetryAfterMs: 120_000,
});
const { pets } = await store.listPets({ limit: 5 });
console.log(pets.length, 'animals');
