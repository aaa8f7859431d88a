import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});

const { pets } = await store.listPets({ status: 'available', limit: 50 });
console.log(pets.map((pet) => pet.name));
