import { AbortError, createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
  timeoutMs: 10_000,
});
try {
  const { pets } = await store.listPets({}, { signal: AbortSignal.timeout(60_000) });
  console.log(pets.length, 'animals');
} catch (error) {
  if (error instanceof AbortError) console.log('The call took more than a minute.');
  else throw error;
}
