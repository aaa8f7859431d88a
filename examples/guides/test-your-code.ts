import { createClient } from '@animal-store/client';
import { createTestService } from '@animal-store/client/testing';

const service = createTestService({ pets: [{ name: 'Mia', categoryId: 3 }] });
const store = createClient(service.clientOptions);

service.failNext('internal_error'); // The next request fails, and the client retries it.
await store.createPet({ name: 'Tom', categoryId: 3 });
console.log(service.pets.map(({ name }) => name).join(), service.requests.length);
