import type * as Client from '../src/index.ts';

// What the client does in every runtime. It is stripped of its types and sent there, so it may use
// nothing but its arguments and the language.

/** Where the real service and a scripted one are. */
export interface Addresses {
  serviceUrl: string;
  apiKey: string;
  /** Answers a creation with 503 before it accepts it, and never answers a GET. */
  scriptedUrl: string;
}

/** Uses the client, and tells what came of it in plain JSON. */
export async function exercise(
  { createClient, isApiError, NotFoundError, TimeoutError }: typeof Client,
  { serviceUrl, apiKey, scriptedUrl }: Addresses,
) {
  const deprecations: string[] = [];
  const store = createClient({
    baseUrl: serviceUrl,
    apiKey,
    onDeprecation: ({ operation }) => deprecations.push(operation),
  });
  const name = 'Mia "äö" 🐈';
  const categoryId = 9007199254740993n;
  const created = await store.createPet({ name, categoryId });
  const gotten = await store.getPet(created.id);
  const { data, rateLimit, requestId } = await store.listPets({ limit: 1 }).withResponse();
  const collected = await store.eachPet({ limit: 2 }).toArray({ max: 3 });
  const missing: unknown = await store.getPet(Number.MAX_SAFE_INTEGER).catch((error) => error);

  const retries: number[] = [];
  const flaky = createClient({
    baseUrl: scriptedUrl,
    apiKey,
    onRetry: ({ delayMs }) => retries.push(delayMs),
  });
  const retried = await flaky.createPet({ name, categoryId });

  const timedOut: unknown = await flaky
    .listPets({}, { timeoutMs: 20, maxRetries: 0 })
    .catch((error) => error);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const aborted: unknown = await flaky
    .listPets({}, { signal: controller.signal })
    .catch((error) => error);

  return {
    isExact: created.categoryId === categoryId && gotten.categoryId === categoryId,
    isNameKept: gotten.name === name,
    deprecations,
    listed: data.pets.length,
    knowsQuota: rateLimit?.limit === store.lastRateLimit?.limit && rateLimit?.limit === 60,
    hasRequestId: requestId !== undefined,
    hasNextCursor: data.nextCursor !== undefined,
    collected: new Set(collected.map(({ id }) => id)).size,
    missing: isApiError(missing, 404) && missing instanceof NotFoundError && missing.code,
    retries,
    retriedExactly: retried.categoryId === categoryId,
    timedOut: timedOut instanceof TimeoutError,
    aborted: (aborted as Error).name,
  };
}

/** What it must tell, wherever it runs. */
export const expected: Awaited<ReturnType<typeof exercise>> = {
  isExact: true,
  isNameKept: true,
  deprecations: ['getPet'],
  listed: 1,
  knowsQuota: true,
  hasRequestId: true,
  hasNextCursor: true,
  collected: 3,
  missing: 'pet_not_found',
  retries: [0],
  retriedExactly: true,
  timedOut: true,
  aborted: 'AbortError',
};
