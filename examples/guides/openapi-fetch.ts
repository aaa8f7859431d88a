import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

/** Sends a request. If the quota is used up, the function waits and sends the request again. */
async function patientFetch(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone());
    const seconds = Number(response.headers.get('Retry-After'));
    // If the quota of the day is used up or the key is banned, the wait is long. Notify somebody
    // instead of waiting.
    if (response.status !== 429 || seconds > 120) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, (seconds + Math.random()) * 1_000));
  }
}

const store = createClient<paths>({
  baseUrl: 'http://127.0.0.1:3000/v1',
  headers: { Authorization: `Bearer ${process.env.ANIMAL_STORE_API_KEY}` },
  fetch: patientFetch,
});
const added = await store.POST('/pets', {
  body: { name: 'Mia', categoryId: 3 },
  params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
});
if (added.error) throw new Error(added.error.message);
const list = await store.GET('/pets', { params: { query: { status: 'available', limit: 100 } } });
console.log(`Added animal ${added.data.id}. ${list.data?.length} animals are for sale.`);
