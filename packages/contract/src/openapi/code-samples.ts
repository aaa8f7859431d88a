import type { Operation } from '../operations.ts';
import { goSamples } from './go-samples.ts';
import type { JsonObject } from './json-schema.ts';
import { pythonSamples } from './python-samples.ts';

const clientSetup = (baseUrl: string) => `import { createClient } from '@animal-store/client';

const store = createClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.ANIMAL_STORE_API_KEY ?? '',
});
`;

const fetchGet = (url: string, read: string) => `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\` },
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
${read}
`;

const curlGet = (url: string) => `curl -i "${url}" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
`;

const samples: Record<Operation, (baseUrl: string) => Record<string, string>> = {
  listPets: (baseUrl) => ({
    curl: curlGet(`${baseUrl}/pets?status=available&limit=50`),
    client: `${clientSetup(baseUrl)}
const { pets } = await store.listPets({ status: 'available', limit: 50 });
console.log(pets.map((pet) => pet.name));
`,
    fetch: fetchGet(
      `${baseUrl}/pets?status=available&limit=50`,
      `console.log(body, response.headers.get('Link'));`,
    ),
  }),
  createPet: (baseUrl) => ({
    curl: `curl -i "${baseUrl}/pets" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: mia-$(date +%s)" \\
  -d '{"name":"Mia","categoryId":3}'
`,
    client: `${clientSetup(baseUrl)}
const mia = await store.createPet({ name: 'Mia', categoryId: 3 });
console.log(mia.id);
`,
    fetch: `const response = await fetch('${baseUrl}/pets', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.ANIMAL_STORE_API_KEY}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({ name: 'Mia', categoryId: 3 }),
});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.message}\`);
console.log(body.id);
`,
  }),
  getPet: (baseUrl) => ({
    curl: curlGet(`${baseUrl}/pets/1`),
    client: `${clientSetup(baseUrl)}
const pet = await store.getPet(1);
console.log(pet.name);
`,
    fetch: fetchGet(`${baseUrl}/pets/1`, 'console.log(body.name);'),
  }),
  getRateLimit: (baseUrl) => ({
    curl: curlGet(`${baseUrl}/rate-limit`),
    client: `${clientSetup(baseUrl)}
const { windows } = await store.rateLimit();
console.log(windows.minute.remaining, 'remaining of', windows.minute.limit);
`,
    fetch: fetchGet(`${baseUrl}/rate-limit`, 'console.log(body.windows);'),
  }),
  // It has no method of its own in the client before its shape is settled.
  listOrders: (baseUrl) => ({
    curl: curlGet(`${baseUrl}/store/orders`),
    client: `${clientSetup(baseUrl)}
const orders = await store.request({ method: 'GET', path: '/store/orders' });
console.log(orders);
`,
    fetch: fetchGet(`${baseUrl}/store/orders`, 'console.log(body);'),
  }),
};

const kinds: Record<string, { lang: string; label: string }> = {
  curl: { lang: 'shell', label: 'curl' },
  client: { lang: 'typescript', label: 'TypeScript client' },
  fetch: { lang: 'javascript', label: 'fetch' },
  python: { lang: 'python', label: 'Python' },
  go: { lang: 'go', label: 'Go' },
};

/** Code that calls an operation, in the form that Redocly reads as `x-codeSamples`. */
export function codeSamples(operation: Operation, baseUrl: string): JsonObject[] {
  const all = {
    ...samples[operation](baseUrl),
    python: pythonSamples[operation](baseUrl),
    go: goSamples[operation](baseUrl),
  };
  return Object.entries(all).map(([kind, source]) => ({
    ...kinds[kind],
    source: source.trimEnd(),
  }));
}
