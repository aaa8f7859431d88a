import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
  maxRetries: 5,
  maxRetryAfterMs: 240_000,
  onRetry: ({ error, delayMs }) => console.log(error.message, 'again in', delayMs, 'ms'),
});
const impatient = store.withOptions({ maxRetries: 0, maxRetryAfterMs: 0 });
const { pets } = await impatient.listPets({ limit: 5 });
console.log(pets.length, 'animals,', impatient.lastRateLimit?.remaining, 'left');
