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

/** The options of a `createPet` call: the options of every call, and the idempotency key. */
export interface CreatePetOptions extends CallOptions {
  /**
   * The `Idempotency-Key` of the request: 1 to 255 visible ASCII characters, such as a UUID. A
   * second call with the same key and animal within 24 hours returns the first response, and adds
   * no second animal.
   *
   * @default a random key, which all attempts of the call share
   */
  idempotencyKey?: string | undefined;
}

/**
 * The operations of the Animal Store. A call that fails rejects with an `AnimalStoreError`, or with
 * a `TypeError` if an argument cannot be sent.
 */
export interface AnimalStoreClient {
  /**
   * Gets one page of animals, ordered by `id`. A page has at most 20 animals unless you set
   * `limit`. For all pages, use `eachPet`. With `ids`, the call gets up to 100 animals by their
   * ids, and ignores unknown ids.
   *
   * @throws {TypeError} for a `number` beyond 2^53, because JavaScript has already rounded it.
   * @example
   * ```ts
   * const { pets, nextCursor } = await store.listPets({ status: 'available', limit: 50 });
   * const { pets: given } = await store.listPets({ ids: [5, 11] });
   * ```
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Call<Page>;

  /**
   * Iterates over all animals, ordered by `id`. The client requests one page after the other.
   * `limit` is the length of a page, 100 by default. The options apply to the request of each page.
   *
   * @example
   * ```ts
   * for await (const pet of store.eachPet({ status: 'sold' })) console.log(pet.name);
   * ```
   */
  eachPet(query?: ListPetsQuery, options?: CallOptions): PetList;

  /**
   * Iterates over the pages of the list. A page has at most 100 animals unless you set `limit`.
   * Each page costs one request. Store the `resumeCursor` of a page to continue after this page
   * later. The `resumeCursor` of the last page leads to animals that are added later.
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
   * Adds an animal and returns it with its `id`. A retry never adds a second animal. The service
   * ignores an `id` in the argument.
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
   * @deprecated The service removes this operation on 5 December 2030. Use `(await store.listPets({
   *   ids: [id] })).pets[0]`, which is `undefined` if no animal has the id.
   * @example
   * ```ts
   * const pet = await store.getPet(7);
   * ```
   */
  getPet(id: Int64, options?: CallOptions): Call<Pet>;

  /**
   * Gets the quota state of the API key: its plan, its minute and day windows, and its ban, if
   * there is one. If `subject` is `account`, all keys of the account share both windows. The call
   * costs no quota, and works while the quota is used up or the key is banned. Beta: the result may
   * change.
   *
   * @example
   * ```ts
   * const { plan, windows, bannedUntil } = await store.rateLimit();
   * ```
   */
  rateLimit(options?: CallOptions): Call<RateLimitStatus>;

  /**
   * Sends a request to an operation that this version of the client does not know. The API key, the
   * quota, retries and errors work as for all other calls. `bigint`s in the body and in the
   * response stay exact.
   *
   * @typeParam Data the expected type of the response body. The client does not check it.
   * @throws {TypeError} for a path that leaves `baseUrl`, and for a body that is not JSON.
   * @example
   * ```ts
   * const orders = await store.request<{ id: number }[]>({ path: '/store/orders' });
   * ```
   */
  request<Data = unknown>(request: RequestDescription, options?: CallOptions): Call<Data>;

  /**
   * Creates a client with the options of this client and the given options. An option that is given
   * as `undefined` gets its default again. The given `headers` are added to the headers of this
   * client.
   *
   * @example
   * ```ts
   * const patient = store.withOptions({ maxRetries: 5, timeoutMs: 60_000 });
   * ```
   */
  withOptions(options: ClientOptions): AnimalStoreClient;

  /** The quota state from the last response, or `undefined` before the first response. */
  readonly lastRateLimit: RateLimitState | undefined;
}

/**
 * Creates a client. A client keeps no connection open, so you need not close it. All clients of a
 * process that use the same API key share its quota.
 *
 * @throws {TypeError} if an option is invalid or required but missing.
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

  // The paths are written as strings in this file, because an import of the contract's routes would
  // put the whole contract into every bundle. A test compares the paths with the contract.
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
          // The idempotency key has 128 random bits. `crypto.randomUUID` would be shorter to write,
          // but browsers offer it on HTTPS pages only.
          idempotencyKey:
            callOptions?.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-'),
          bodyKind: 'object',
        };
      }, callOptions),
    getPet: (id, callOptions) =>
      send(() => {
        // Untyped code may pass an empty string as the id. Without this check, the request would
        // get the list.
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
    // Untyped code may pass `null`. The spread turns `null` into an empty object without a path,
    // and the check of the path refuses the request.
    request: (description, callOptions) => send(() => ({ ...description }), callOptions),
    withOptions: (other) =>
      createClient({
        ...options,
        ...checkOptions(other),
        // `flat()` merges the headers of this client and the given headers into one list. It
        // removes only one level, so each `[name, value]` pair stays a pair.
        headers: [options.headers, other.headers].flat() as readonly HeaderFields[],
      }),
    get lastRateLimit() {
      return lastRateLimit;
    },
  };
}

/**
 * Refuses a `number` that is not an exact integer, also inside a list. JavaScript has already
 * rounded an integer beyond 2^53, so it may name another animal or category. In a JSON body, `NaN`
 * and `Infinity` would become `null`.
 */
function checkArgument(what: string, values: object): void {
  checkObject(what, values);
  for (const [name, value] of Object.entries(values)) {
    for (const number of [value].flat()) {
      if (typeof number === 'number' && !Number.isSafeInteger(number))
        throw new TypeError(`${name}: expected an exact integer or a bigint, got ${number}`);
    }
  }
}
