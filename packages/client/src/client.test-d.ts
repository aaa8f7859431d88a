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

// `test/compile-consumer.ts` contains the code of a user.

// The client has all operations of the contract, and six members of its own.
expectTypeOf<keyof AnimalStoreClient>().toEqualTypeOf<
  OperationName | 'eachPet' | 'pages' | 'rateLimit' | 'request' | 'withOptions' | 'lastRateLimit'
>();

// Arguments and results are types of the contract, which `contract.test-d.ts` compares with its
// schemas.
expectTypeOf<PetStatus | 'a status of tomorrow'>().toExtend<Pet['status']>();

declare const store: AnimalStoreClient;
const whole = () => store.createPet({ name: 'Mia', categoryId: 3 }).withResponse();
expectTypeOf<Awaited<ReturnType<typeof whole>>>().toEqualTypeOf<Result<Pet>>();
expectTypeOf<Parameters<AnimalStoreClient['eachPet']>>().toEqualTypeOf<
  Parameters<AnimalStoreClient['listPets']>
>();
declare const read: Pet;
expectTypeOf(store.createPet).toBeCallableWith(read);
// @ts-expect-error there is no such status
store.createPet({ name: 'Mia', categoryId: 3, status: 'lost' });
// @ts-expect-error only createPet accepts an idempotency key
store.listPets({}, { idempotencyKey: 'x' });
export async function mistakes(): Promise<void> {
  // @ts-expect-error a page must not be mistaken for the whole list
  for await (const _ of store.listPets());
  // @ts-expect-error an awaited page must not be mistaken for it either
  for await (const _ of await store.listPets());
}

// The class of an error, its status and its name narrow its type.
declare const error: unknown;
if (error instanceof NotFoundError) expectTypeOf(error.status).toEqualTypeOf<404>();
if (isApiError(error)) expectTypeOf(error).toEqualTypeOf<ApiError>();
if (isApiError(error, 429)) expectTypeOf(error).toEqualTypeOf<RateLimitError>();
if (isApiError(error, 418)) expectTypeOf(error.status).toEqualTypeOf<418>();
// A class that does not have this status may still have another one.
declare const apiError: ApiError;
if (!isApiError(apiError, 429)) expectTypeOf(apiError).toEqualTypeOf<ApiError>();
if (isAnimalStoreError(error)) {
  if (error.name === 'RateLimitError') expectTypeOf(error).toEqualTypeOf<RateLimitError>();
  if (error.name === 'KeySuspendedError') expectTypeOf(error.status).toEqualTypeOf<403>();
}

// A switch over all names of the classes can be complete.
type ClassName = Exclude<Extract<keyof typeof client, `${string}Error`>, `is${string}`>;
expectTypeOf<AnyAnimalStoreError['name']>().toEqualTypeOf<ClassName>();
expectTypeOf<ApiError['code']>().toEqualTypeOf<ErrorCode | (string & {}) | undefined>();
