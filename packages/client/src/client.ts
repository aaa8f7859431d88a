import type { Int64, ListPetsQuery, NewPet, Pet } from '@animal-store/contract';
import { type Call, createCall, type PageResult } from './call.ts';
import type { ClientOptions } from './client-options.ts';
import { createIdempotencyKey } from './idempotency-key.ts';
import { createPetList, type PetList, readNextCursor } from './pet-list.ts';
import type { RateLimitState } from './rate-limit-state.ts';
import type { RequestOptions } from './request.ts';
import { createTransport } from './transport.ts';

/** Options of `createPet`. */
export interface CreatePetOptions extends RequestOptions {
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
  /** Lists animals by `id`, ascending: one page, of at most 20 unless `limit` says otherwise. */
  listPets(query?: ListPetsQuery, options?: RequestOptions): Call<Pet[], PageResult>;

  /**
   * Goes through all animals by `id`, ascending, page by page. Here `limit` is the length of a page,
   * by default 100. The options apply to each page's request.
   */
  eachPet(query?: ListPetsQuery, options?: RequestOptions): PetList;

  /**
   * Adds an animal and gives it back with its `id`. Trying again never adds a second one.
   *
   * @throws {BadRequestError} if a field is missing or invalid.
   */
  createPet(pet: NewPet, options?: CreatePetOptions): Call<Pet>;

  /**
   * Gets one animal.
   *
   * @throws {NotFoundError} if there is none with this id.
   * @deprecated It ends on 5 December 2030. Use `listPets` with a `status`.
   */
  getPet(id: Int64, options?: RequestOptions): Call<Pet>;

  /** What the last answer said about the quota; `undefined` before the first. */
  readonly rateLimit: RateLimitState | undefined;
}

/**
 * Creates a client. It opens nothing, so there is nothing to close.
 *
 * @throws {TypeError} if `baseUrl` or `apiKey` cannot work.
 */
export function createClient(options: ClientOptions): AnimalStoreClient {
  const transport = createTransport(options);

  async function getPage(query: ListPetsQuery, options?: RequestOptions): Promise<PageResult> {
    const result = await transport.send('listPets', { query }, options);
    return { ...result, nextCursor: readNextCursor(result.response.headers) };
  }

  async function createPet(pet: NewPet, { idempotencyKey, ...options }: CreatePetOptions = {}) {
    checkExact('categoryId', pet.categoryId);
    const parts = { body: pet, idempotencyKey: idempotencyKey ?? createIdempotencyKey() };
    return transport.send('createPet', parts, options);
  }

  async function getPet(id: Int64, options?: RequestOptions) {
    // An empty string from untyped code would make this the path of the list.
    if (typeof id !== 'number' && typeof id !== 'bigint')
      throw new TypeError('id: expected an integer');
    checkExact('id', id);
    return transport.send('getPet', { path: { petId: String(id) } }, options);
  }

  return {
    listPets: (query = {}, options) => createCall(getPage(query, options)),
    eachPet: (query = {}, options) => createPetList(getPage, { query, options }),
    createPet: (pet, options) => createCall(createPet(pet, options)),
    getPet: (id, options) => createCall(getPet(id, options)),
    get rateLimit() {
      return transport.rateLimit;
    },
  };
}

/**
 * Refuses a `number` too great to be exact: it was rounded before it came here, and names another
 * animal or category than was meant.
 */
function checkExact(name: string, value: Int64): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(
      `${name}: ${value} may have been rounded; pass so great an integer as bigint`,
    );
  }
}
