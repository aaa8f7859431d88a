import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
const { pets } = await store.listPets({ ids: [1] });
console.log(pets[0]?.name ?? 'No animal has this id.');
