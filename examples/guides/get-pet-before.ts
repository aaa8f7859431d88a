import { createClient, isApiError } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
try {
  const pet = await store.getPet(1);
  console.log(pet.name);
} catch (error) {
  if (!isApiError(error, 404)) throw error;
  console.log('No animal has this id.');
}
