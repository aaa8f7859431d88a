import { ApiError, createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
try {
  await store.createPet({ name: '', categoryId: 3 });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.log(error.code, error.detail, error.docsUrl);
}
