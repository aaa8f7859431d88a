import { createClient, RateLimitError } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
try {
  const mia = await store.createPet({ name: 'Mia', categoryId: 3 });
  const forSale = await store.eachPet({ status: 'available' }).toArray();
  console.log(`Added animal ${mia.id}. ${forSale.length} animals are for sale.`);
} catch (error) {
  if (error instanceof RateLimitError) console.log('Wait', error.retryAfterMs, 'ms');
  else throw error;
}
