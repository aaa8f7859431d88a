import type { Int64, ListPetsQuery, NewPet, RateLimitStatus } from '@animal-store/contract';
import { type Call, createCall } from './call-promise.ts';
import type { ClientOptions } from './client-options.ts';
import { createIdempotencyKey } from './create-idempotency-key.ts';
import { createPetList, type Page, type PetList, readNextCursor } from './each-pet.ts';
import { AnimalStoreError } from './errors/animal-store-error.ts';
import type { RateLimitState } from './read-rate-limit.ts';
import type { Pet } from './received-pet.ts';
import type { CallOptions, RequestDescription } from './request.ts';
import { createSend, type Operation } from './send-with-retries.ts';

/** Options of `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /**
   * Makes the call safe to repeat: within 24 hours the same key and animal give the first answer
   * again instead of a second animal. 1 to 255 visible ASCII characters, such as a UUID.
   *
   * @default a random one, the same for each attempt of the call
   */
  idempotencyKey?: string | undefined;
}

/** The operations of the Animal Store. Every call rejects with an `AnimalStoreError` if it fails. */
export interface AnimalStoreClient {
  /**
   * Lists animals by `id`, ascending: one page, of at most 20 unless `limit` says otherwise. For all
   * pages use `eachPet`.
   *
   * @example
   * ```ts
   * const { pets, nextCursor } = await store.listPets({ status: 'available', limit: 50 });
   * ```
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Call<Page>;

  /**
   * Goes through all animals by `id`, ascending, page by page. Here `limit` is the length of a page,
   * by default 100. The options apply to the request of each page.
   *
   * @example
   * ```ts
   * for await (const pet of store.eachPet({ status: 'sold' })) console.log(pet.name);
   * ```
   */
  eachPet(query?: ListPetsQuery, options?: CallOptions): PetList;

  /**
   * Adds an animal and gives it back with its `id`. A retry never adds a second one.
   *
   * @throws {BadRequestError} if a field is missing or invalid.
   * @example
   * ```ts
   * const mia = await store.createPet({ name: 'Mia', categoryId: 3 });
   * ```
   */
  createPet(pet: NewPet, options?: CreatePetOptions): Call<Pet>;

  /**
   * Gets one animal.
   *
   * @throws {NotFoundError} if there is none with this id.
   * @deprecated It ends on 5 December 2030. Use `listPets` with a `status`.
   * @example
   * ```ts
   * const pet = await store.getPet(7);
   * ```
   */
  getPet(id: Int64, options?: CallOptions): Call<Pet>;

  /**
   * Gets both windows of the key's quota, its plan, the end of a ban and whether a ban is close. It
   * costs no quota, and works while the key is denied or banned. Beta: it may change.
   *
   * @example
   * ```ts
   * const { plan, windows, bannedUntil } = await store.rateLimit();
   * ```
   */
  rateLimit(options?: CallOptions): Call<RateLimitStatus>;

  /**
   * Sends a request of an operation that this version does not know, with the same key, quota,
   * retries and errors. Its `bigint`s are exact both ways.
   *
   * @typeParam Data what you expect the body to be; it is not checked.
   * @throws {TypeError} if the path does not begin with a slash.
   * @example
   * ```ts
   * const orders = await store.request<{ id: number }[]>({ path: '/store/orders' });
   * ```
   */
  request<Data = unknown>(request: RequestDescription, options?: CallOptions): Call<Data>;

  /**
   * Creates a client with the same options, except for those that are given here.
   *
   * @example
   * ```ts
   * const patient = store.withOptions({ maxRetries: 5, timeoutMs: 60_000 });
   * ```
   */
  withOptions(options: ClientOptions): AnimalStoreClient;

  /** What the last answer said about the quota; `undefined` before the first. */
  readonly lastRateLimit: RateLimitState | undefined;
}

/**
 * Creates a client. It opens nothing, so there is nothing to close. All clients of a process that use
 * the same API key share its quota.
 *
 * @throws {TypeError} if `baseUrl` or `apiKey` cannot work.
 * @example
 * ```ts
 * const store = createClient({ baseUrl: 'http://localhost:3000/v1', apiKey: 'ast_your_key' });
 * ```
 */
export function createClient(options: ClientOptions = {}): AnimalStoreClient {
  let lastRateLimit: RateLimitState | undefined;
  const sendWithRetries = createSend(options, (state) => {
    lastRateLimit = state;
  });

  const send = <Data>(describe: () => Operation<Data>, callOptions: CallOptions | undefined) =>
    createCall(sendWithRetries(describe, callOptions));

  // The paths are written out, as the contract's table would have all of it in the bundle. A test
  // compares them.
  const listPets = (query: ListPetsQuery = {}, callOptions?: CallOptions) =>
    send<Page>(
      () => ({
        operation: 'listPets',
        path: '/pets',
        query,
        bodyKind: 'array',
        read(body, headers, call) {
          const nextCursor = readNextCursor(headers);
          if (nextCursor !== undefined && nextCursor === query.cursor) {
            throw new AnimalStoreError('the next page is the same page', call);
          }
          return { pets: body as Pet[], nextCursor };
        },
      }),
      callOptions,
    );

  return {
    listPets,
    eachPet: (query = {}, callOptions) => createPetList(listPets, query, callOptions),
    createPet: (pet, callOptions) =>
      send(() => {
        checkExact('categoryId', pet.categoryId);
        return {
          operation: 'createPet',
          method: 'POST',
          path: '/pets',
          body: pet,
          idempotencyKey: callOptions?.idempotencyKey ?? createIdempotencyKey(),
          bodyKind: 'object',
        };
      }, callOptions),
    getPet: (id, callOptions) =>
      send(() => {
        // An empty string from untyped code would make this the path of the list.
        if (typeof id !== 'number' && typeof id !== 'bigint')
          throw new TypeError('id: expected an integer');
        checkExact('id', id);
        return { operation: 'getPet', path: `/pets/${id}`, bodyKind: 'object' };
      }, callOptions),
    rateLimit: (callOptions) =>
      send(
        () => ({
          operation: 'getRateLimit',
          path: '/rate-limit',
          bodyKind: 'object',
          isFree: true,
        }),
        callOptions,
      ),
    request: (description, callOptions) => send(() => description, callOptions),
    withOptions: (other) => createClient({ ...options, ...other }),
    get lastRateLimit() {
      return lastRateLimit;
    },
  };
}

/**
 * Refuses a `number` too great to be exact: it was rounded before it came here, and names another
 * animal or category than was meant.
 */
function checkExact(name: string, value: Int64): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${name}: ${value} is not exact, use a bigint`);
  }
}
