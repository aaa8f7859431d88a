import type { Int64, ListPetsQuery, NewPet, Pet } from '@animal-store/contract';
import type { ClientOptions } from './client-options.ts';
import { createSendRequest, type RequestOptions } from './request.ts';

/** Options of `createPet`. */
export interface CreatePetOptions extends RequestOptions {
  /**
   * Makes the call safe to repeat: within 24 hours the same key and animal give the first answer
   * again instead of a second animal. 1 to 255 visible ASCII characters, such as a UUID.
   */
  idempotencyKey?: string | undefined;
}

/** The operations of the Animal Store. Every call rejects with an `AnimalStoreError` if it fails. */
export interface AnimalStoreClient {
  /** Lists animals by `id`, ascending: at most 20 unless `limit` says otherwise. */
  listPets(query?: ListPetsQuery, options?: RequestOptions): Promise<Pet[]>;

  /**
   * Adds an animal and gives it back with its `id`.
   *
   * @throws {BadRequestError} if a field is missing or invalid.
   */
  createPet(pet: NewPet, options?: CreatePetOptions): Promise<Pet>;

  /**
   * Gets one animal.
   *
   * @throws {NotFoundError} if there is none with this id.
   * @deprecated It ends on 5 December 2030. Use `listPets` with a `status`.
   */
  getPet(id: Int64, options?: RequestOptions): Promise<Pet>;
}

/**
 * Creates a client. It opens nothing, so there is nothing to close.
 *
 * @throws {TypeError} if `baseUrl` or `apiKey` cannot work.
 */
export function createClient(options: ClientOptions): AnimalStoreClient {
  const sendRequest = createSendRequest(options);

  return {
    async listPets(query = {}, options) {
      const { data } = await sendRequest('listPets', { query }, options);
      return data;
    },

    async createPet(pet, { idempotencyKey, ...options } = {}) {
      checkExact('categoryId', pet.categoryId);
      const headers = { 'Idempotency-Key': idempotencyKey };
      const { data } = await sendRequest('createPet', { body: pet, headers }, options);
      return data;
    },

    async getPet(id, options) {
      // An empty string from untyped code would make this the path of the list.
      if (typeof id !== 'number' && typeof id !== 'bigint')
        throw new TypeError('id: expected an integer');
      checkExact('id', id);
      const { data } = await sendRequest('getPet', { path: { petId: String(id) } }, options);
      return data;
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
