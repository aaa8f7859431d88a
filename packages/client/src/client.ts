import type { Int64, ListPetsQuery, NewPet, Pet, RateLimitStatus } from '@animal-store/contract';
import { type Call, createCall } from './call-promise.ts';
import { checkObject } from './check-object.ts';
import { checkOptions } from './check-options.ts';
import type { ClientOptions } from './client-options.ts';
import { createPetList, type Page, type PetList } from './each-pet.ts';
import { parseCursor } from './page-cursor.ts';
import type { RateLimitState } from './read-rate-limit.ts';
import type { CallOptions, HeaderFields, RequestDescription } from './request.ts';
import { createSend, type Operation } from './send-with-retries.ts';

/** Options of `createPet`. */
export interface CreatePetOptions extends CallOptions {
  /**
   * Makes the call safe to repeat: within 24 hours, the same key and animal get the first response
   * again instead of a second animal. 1 to 255 visible ASCII characters, such as a UUID.
   *
   * @default a random one, the same for each attempt of the call
   */
  idempotencyKey?: string | undefined;
}

/** The operations of the Animal Store. Every call rejects with an `AnimalStoreError` if it fails. */
export interface AnimalStoreClient {
  /**
   * Lists animals by `id`, ascending: one page, of at most 20 animals unless you set `limit`. For
   * all pages use `eachPet`. With `ids`, it gets these animals, at most 100, and leaves out unknown
   * ids.
   *
   * @throws {TypeError} for an id or a category that JavaScript has already rounded.
   * @example
   * ```ts
   * const { pets, nextCursor } = await store.listPets({ status: 'available', limit: 50 });
   * const { pets: given } = await store.listPets({ ids: [5, 11] });
   * ```
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Call<Page>;

  /**
   * Iterates over all animals by `id`, ascending, page by page. Here `limit` is the length of a
   * page, by default 100. The options apply to the request of each page.
   *
   * @example
   * ```ts
   * for await (const pet of store.eachPet({ status: 'sold' })) console.log(pet.name);
   * ```
   */
  eachPet(query?: ListPetsQuery, options?: CallOptions): PetList;

  /**
   * Iterates over the pages of the list, of 100 animals unless you set `limit`. Each page is one
   * request. Store `resumeCursor` to continue there later, also after the last page.
   *
   * @example
   * ```ts
   * for await (const { pets, resumeCursor } of store.pages({ cursor })) {
   *   await save(pets, resumeCursor);
   * }
   * ```
   */
  pages(query?: ListPetsQuery, options?: CallOptions): AsyncIterable<Page>;

  /**
   * Adds an animal and returns it with its `id`. A retry never adds a second one. If the argument
   * has an id, the service ignores it.
   *
   * @throws {BadRequestError} if a field is missing or invalid.
   * @example
   * ```ts
   * const mia = await store.createPet({ name: 'Mia', categoryId: 3 });
   * ```
   */
  createPet(pet: NewPet | Pet, options?: CreatePetOptions): Call<Pet>;

  /**
   * Gets one animal.
   *
   * @throws {NotFoundError} if no animal has this id.
   * @deprecated It ends on 5 December 2030. Use this instead, which is `undefined` if no animal has
   *   the id: `(await store.listPets({ ids: [id] })).pets[0]`
   * @example
   * ```ts
   * const pet = await store.getPet(7);
   * ```
   */
  getPet(id: Int64, options?: CallOptions): Call<Pet>;

  /**
   * Gets both windows of the key's quota, its plan, the end of a ban, and whether a ban is close.
   * If `subject` is `account`, all keys of the account share both windows. The call costs no quota,
   * and works while the key is denied or banned. Beta: it may change.
   *
   * @example
   * ```ts
   * const { plan, windows, bannedUntil } = await store.rateLimit();
   * ```
   */
  rateLimit(options?: CallOptions): Call<RateLimitStatus>;

  /**
   * Sends a request of an operation that this version does not know, with the same key, quota,
   * retries and errors. Its `bigint`s are exact in both directions.
   *
   * @typeParam Data the expected type of the body; the client does not check it.
   * @throws {TypeError} for a path that leads elsewhere, and for a body that is not JSON.
   * @example
   * ```ts
   * const orders = await store.request<{ id: number }[]>({ path: '/store/orders' });
   * ```
   */
  request<Data = unknown>(request: RequestDescription, options?: CallOptions): Call<Data>;

  /**
   * Creates a client with the same options, except for the given ones. An option that is
   * `undefined` gets its default again. `headers` are added to the headers of this client.
   *
   * @example
   * ```ts
   * const patient = store.withOptions({ maxRetries: 5, timeoutMs: 60_000 });
   * ```
   */
  withOptions(options: ClientOptions): AnimalStoreClient;

  /** The quota state from the last response; `undefined` before the first response. */
  readonly lastRateLimit: RateLimitState | undefined;
}

/**
 * Creates a client. It opens nothing, so you need not close it. All clients of a process that use
 * the same API key share its quota.
 *
 * @throws {TypeError} if `baseUrl`, `apiKey` or a number is invalid.
 * @example
 * ```ts
 * const store = createClient({ baseUrl: 'http://127.0.0.1:3000/v1', apiKey: 'ast_your_key' });
 * ```
 */
export function createClient(options: ClientOptions = {}): AnimalStoreClient {
  checkOptions(options);
  let lastRateLimit: RateLimitState | undefined;
  const sendWithRetries = createSend(options, (state) => {
    lastRateLimit = state;
  });

  const send = <Data>(describe: () => Operation<Data>, callOptions: CallOptions | undefined) =>
    createCall(sendWithRetries(describe, callOptions));

  // The paths are literals, because the contract's table would put the whole contract into the
  // bundle. A test compares them.
  const listPets = (query: ListPetsQuery = {}, callOptions?: CallOptions) => {
    return send<Page>(() => {
      checkArgument('query', query);
      const { cursor, read } = parseCursor(query.cursor);
      return {
        operation: 'listPets',
        path: '/pets',
        query: { ...query, cursor },
        bodyKind: 'array',
        read,
      };
    }, callOptions);
  };
  const eachPet = (query: ListPetsQuery = {}, callOptions?: CallOptions) =>
    createPetList(listPets, query, callOptions);

  return {
    listPets,
    eachPet,
    pages: (query, callOptions) => eachPet(query, callOptions).pages(),
    createPet: (pet, callOptions) =>
      send(() => {
        checkArgument('pet', pet);
        return {
          operation: 'createPet',
          method: 'POST',
          path: '/pets',
          body: pet,
          // The key has 128 random bits. It does not come from `crypto.randomUUID`, which browsers
          // have only on secure pages.
          idempotencyKey:
            callOptions?.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-'),
          bodyKind: 'object',
        };
      }, callOptions),
    getPet: (id, callOptions) =>
      send(() => {
        // An empty string from untyped code would turn this into the path of the list.
        if (!/\d$/.test(String(id))) throw new TypeError('id: expected an integer');
        checkArgument('', { id });
        return {
          operation: 'getPet',
          path: `/pets/${id}`,
          pathTemplate: '/pets/{petId}',
          bodyKind: 'object',
        };
      }, callOptions),
    rateLimit: (callOptions) =>
      send(
        () => ({
          operation: 'getRateLimit',
          path: '/rate-limit',
          bodyKind: 'object',
        }),
        callOptions,
      ),
    // For `null` from untyped code, the path is refused, too.
    request: (description, callOptions) => send(() => ({ ...description }), callOptions),
    withOptions: (other) =>
      createClient({
        ...options,
        ...checkOptions(other),
        // A pair stays a pair: only the lists around pairs and records are flattened.
        headers: [options.headers, other.headers].flat() as readonly HeaderFields[],
      }),
    get lastRateLimit() {
      return lastRateLimit;
    },
  };
}

/**
 * Refuses a `number` that is too large to be exact, even in a list: JavaScript has rounded it, so
 * it names another animal or category.
 */
function checkArgument(what: string, values: object): void {
  checkObject(what, values);
  for (const [name, value] of Object.entries(values)) {
    for (const number of [value].flat()) {
      if (Number.isInteger(number) && !Number.isSafeInteger(number))
        throw new TypeError(`${name}: ${number} is not exact, use a bigint`);
    }
  }
}
