import type * as Client from '../src/index.ts';

// The tests send the source code of `exercise` to every runtime. So the function may use only its
// arguments and the language itself.

/** The addresses of the real service and of the scripted server. */
export interface Addresses {
  serviceUrl: string;
  apiKey: string;
  /**
   * The scripted server. It responds to the first POST with an idempotency key with 503, accepts
   * the retry, and never responds to a GET.
   */
  scriptedUrl: string;
}

/** Makes a few calls with the client, and returns the results as plain JSON. */
export async function exercise(
  { createClient, isApiError, NotFoundError }: typeof Client,
  { serviceUrl, apiKey, scriptedUrl }: Addresses,
) {
  const hookArguments: unknown[] = [];
  const onDeprecation = ({ operation }: { operation: string }) => hookArguments.push(operation);
  const store = createClient({ baseUrl: serviceUrl, apiKey, onDeprecation });
  const pet = { name: 'Mia "äö" 🐈', categoryId: 9007199254740993n };
  const { id } = await store.createPet(pet);
  const gotten = await store.getPet(id);
  const { data, rateLimit, requestId } = await store.listPets({ limit: 1 }).withResponse();
  const missing = await store.getPet(Number.MAX_SAFE_INTEGER).catch((error: unknown) => error);

  const onRetry = ({ delayMs }: { delayMs: number }) => hookArguments.push(delayMs);
  const flaky = createClient({ baseUrl: scriptedUrl, apiKey, onRetry });
  const retried = await flaky.createPet(pet);
  const failure = (options: object) =>
    flaky.listPets({}, options).catch((error: Error) => error.name);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);

  return {
    hookArguments,
    exact: [gotten, retried].map(({ categoryId }) => categoryId === pet.categoryId),
    name: gotten.name,
    listed: [data.pets.length, typeof data.nextCursor, typeof requestId],
    limits: [rateLimit?.limit, store.lastRateLimit?.limit],
    missing: isApiError(missing, 404) && missing instanceof NotFoundError && missing.code,
    failures: [
      await failure({ timeoutMs: 20, maxRetries: 0 }),
      await failure({ signal: controller.signal }),
    ],
  };
}

/** The results of `exercise` that every runtime must return. */
export const expected: Awaited<ReturnType<typeof exercise>> = {
  hookArguments: ['getPet', 0],
  exact: [true, true],
  name: 'Mia "äö" 🐈',
  listed: [1, 'string', 'string'],
  limits: [60, 60],
  missing: 'pet_not_found',
  failures: ['TimeoutError', 'AbortError'],
};
