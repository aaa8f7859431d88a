import type { ErrorCode, OperationName } from '@animal-store/contract';
import { expectTypeOf } from 'vitest';
import type * as client from './index.ts';
import type {
  AnimalStoreClient,
  AnyAnimalStoreError,
  ApiError,
  Pet,
  PetStatus,
  RateLimitError,
  Result,
} from './index.ts';
import { isAnimalStoreError, isApiError, NotFoundError } from './index.ts';

// These are tests of types inside the package. `test/compile-consumer.ts` compiles code that uses
// the built package.

// The client has one method for each operation of the contract, and six further members, such as
// `withOptions`.
expectTypeOf<keyof AnimalStoreClient>().toEqualTypeOf<
  OperationName | 'eachPet' | 'pages' | 'rateLimit' | 'request' | 'withOptions' | 'lastRateLimit'
>();

// The arguments and results are types of the contract. `contract.test-d.ts` compares those types
// with the schemas.
expectTypeOf<PetStatus | 'a status of tomorrow'>().toExtend<Pet['status']>();

declare const store: AnimalStoreClient;
const whole = () => store.createPet({ name: 'Mia', categoryId: 3 }).withResponse();
expectTypeOf<Awaited<ReturnType<typeof whole>>>().toEqualTypeOf<Result<Pet>>();
expectTypeOf<Parameters<AnimalStoreClient['eachPet']>>().toEqualTypeOf<
  Parameters<AnimalStoreClient['listPets']>
>();
declare const read: Pet;
expectTypeOf(store.createPet).toBeCallableWith(read);
// @ts-expect-error `'lost'` is not a status of an animal
store.createPet({ name: 'Mia', categoryId: 3, status: 'lost' });
// @ts-expect-error only createPet accepts an idempotency key
store.listPets({}, { idempotencyKey: 'x' });
export async function mistakes(): Promise<void> {
  // @ts-expect-error the promise of a page is not iterable, so that nobody mistakes a page for the
  // whole list
  for await (const _ of store.listPets());
  // @ts-expect-error a page is not iterable, so that nobody mistakes it for the whole list
  for await (const _ of await store.listPets());
}

// A check of the class, the status or the name of an error narrows the type of the error.
declare const error: unknown;
if (error instanceof NotFoundError) expectTypeOf(error.status).toEqualTypeOf<404>();
if (isApiError(error)) expectTypeOf(error).toEqualTypeOf<ApiError>();
if (isApiError(error, 429)) expectTypeOf(error).toEqualTypeOf<RateLimitError>();
if (isApiError(error, 418)) expectTypeOf(error.status).toEqualTypeOf<418>();
// An `ApiError` whose status is not 429 is still an `ApiError`, not `never`.
declare const apiError: ApiError;
if (!isApiError(apiError, 429)) expectTypeOf(apiError).toEqualTypeOf<ApiError>();
if (isAnimalStoreError(error)) {
  if (error.name === 'RateLimitError') expectTypeOf(error).toEqualTypeOf<RateLimitError>();
  if (error.name === 'KeySuspendedError') expectTypeOf(error.status).toEqualTypeOf<403>();
}

// A `switch` over the names of all error classes is exhaustive.
type ClassName = Exclude<Extract<keyof typeof client, `${string}Error`>, `is${string}`>;
expectTypeOf<AnyAnimalStoreError['name']>().toEqualTypeOf<ClassName>();
expectTypeOf<ApiError['code']>().toEqualTypeOf<ErrorCode | (string & {}) | undefined>();
