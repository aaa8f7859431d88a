import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
for await (const pet of store.eachPet({ status: 'available' })) {
  console.log(pet.id, pet.name);
}
