import type { contract, ErrorCode, OperationName } from '@animal-store/contract';
import { expectTypeOf } from 'vitest';
import type {
  AnimalStoreClient,
  AnyAnimalStoreError,
  Int64,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStatus,
  RateLimitState,
  Result,
} from './index.ts';
import {
  ApiError,
  isAnimalStoreError,
  isApiError,
  NotFoundError,
  RateLimitError,
  ServerError,
} from './index.ts';

interface Schema {
  '~standard': { types?: { input: unknown; output: unknown } | undefined };
}
type Input<S extends Schema> = NonNullable<S['~standard']['types']>['input'];
type Output<S extends Schema> = NonNullable<S['~standard']['types']>['output'];
type Contract = typeof contract;

// The client has all operations of the contract, and five members of its own.
expectTypeOf<keyof AnimalStoreClient>().toEqualTypeOf<
  OperationName | 'eachPet' | 'pages' | 'rateLimit' | 'request' | 'withOptions' | 'lastRateLimit'
>();

// Each gives what the contract promises; `contract.test-d.ts` finds what is `any`.
type Given<Name extends OperationName> = Awaited<ReturnType<AnimalStoreClient[Name]>>;
expectTypeOf<Given<'listPets'>>().toEqualTypeOf<Page>();
expectTypeOf<Page['pets']>().toEqualTypeOf<Output<Contract['listPets']['responses'][200]>>();
expectTypeOf<Given<'createPet'>>().toEqualTypeOf<Output<Contract['createPet']['responses'][201]>>();
expectTypeOf<Given<'getPet'>>().toEqualTypeOf<Output<Contract['getPet']['responses'][200]>>();
expectTypeOf<'a status of tomorrow'>().toExtend<Pet['status']>();
expectTypeOf<PetStatus>().toExtend<Pet['status']>();

// Each takes exactly what the contract accepts.
expectTypeOf<Parameters<AnimalStoreClient['createPet']>[0]>().toEqualTypeOf<NewPet>();
expectTypeOf<NewPet>().toEqualTypeOf<Input<Contract['createPet']['body']>>();
expectTypeOf<Parameters<AnimalStoreClient['getPet']>[0]>().toEqualTypeOf<Int64>();
expectTypeOf<Int64>().toEqualTypeOf<Output<Contract['getPet']['pathParams']>['petId']>();
expectTypeOf<Parameters<AnimalStoreClient['listPets']>[0]>().toEqualTypeOf<
  ListPetsQuery | undefined
>();
expectTypeOf<keyof ListPetsQuery>().toEqualTypeOf<keyof Output<Contract['listPets']['query']>>();
expectTypeOf<Required<Output<Contract['listPets']['query']>>>().toExtend<Required<ListPetsQuery>>();

// The whole answer, and the loop over all pages.
expectTypeOf<
  Awaited<ReturnType<ReturnType<AnimalStoreClient['listPets']>['withResponse']>>
>().toEqualTypeOf<Result<Page>>();
expectTypeOf<
  Awaited<ReturnType<ReturnType<AnimalStoreClient['createPet']>['withResponse']>>
>().toEqualTypeOf<Result<Pet>>();
expectTypeOf<AnimalStoreClient['lastRateLimit']>().toEqualTypeOf<RateLimitState | undefined>();
expectTypeOf<Parameters<AnimalStoreClient['eachPet']>>().toEqualTypeOf<
  Parameters<AnimalStoreClient['listPets']>
>();

export async function loops(): Promise<void> {
  for await (const pet of store.eachPet()) expectTypeOf(pet).toEqualTypeOf<Pet>();
  for await (const page of store.eachPet().pages()) expectTypeOf(page).toEqualTypeOf<Page>();
  // A page must not be mistaken for the whole list.
  // @ts-expect-error the promise of a page is no list
  for await (const _ of store.listPets());
  // @ts-expect-error nor is the page
  for await (const _ of await store.listPets());
  expectTypeOf(await store.eachPet().toArray({ max: 5 })).toEqualTypeOf<Pet[]>();
}

declare const store: AnimalStoreClient;
// @ts-expect-error nor such a status
store.listPets({ status: 'lost' });
// @ts-expect-error nor a pet without a category
store.createPet({ name: 'Mia' });
// @ts-expect-error only creation takes an idempotency key
store.listPets({}, { idempotencyKey: 'x' });

// The class of an error narrows its status; an unknown code compiles.
declare const error: unknown;
if (error instanceof NotFoundError) expectTypeOf(error.status).toEqualTypeOf<404>();
if (error instanceof RateLimitError) expectTypeOf(error.status).toEqualTypeOf<429>();
if (error instanceof ServerError) expectTypeOf(error.status).toEqualTypeOf<number>();
if (error instanceof ApiError) {
  expectTypeOf(error.code).not.toBeAny();
  expectTypeOf<'a_code_of_tomorrow'>().toExtend<typeof error.code>();
}
if (isApiError(error)) expectTypeOf(error).toEqualTypeOf<ApiError>();
if (isApiError(error, 429)) expectTypeOf(error).toEqualTypeOf<RateLimitError>();
if (isApiError(error, 404)) expectTypeOf(error.status).toEqualTypeOf<404>();
if (isApiError(error, 418)) expectTypeOf(error.status).toEqualTypeOf<418>();
// What is not of that status may still be of another.
declare const apiError: ApiError;
if (!isApiError(apiError, 418)) expectTypeOf(apiError).toEqualTypeOf<ApiError>();
if (!isApiError(apiError, 429)) expectTypeOf(apiError).toEqualTypeOf<ApiError>();

// The name of an error narrows it, and a switch over all names, or all codes, can be complete.
if (isAnimalStoreError(error)) {
  if (error.name === 'RateLimitError') expectTypeOf(error).toEqualTypeOf<RateLimitError>();
  if (error.name === 'ServerError') expectTypeOf(error).toEqualTypeOf<ServerError>();
  if (error.name === 'KeySuspendedError') expectTypeOf(error.status).toEqualTypeOf<403>();
  if (error.name === 'TimeoutError') expectTypeOf(error.cause).toEqualTypeOf<unknown>();
}
expectTypeOf<AnyAnimalStoreError['name']>().toEqualTypeOf<
  | 'AbortError'
  | 'AnimalStoreError'
  | 'ApiError'
  | 'AuthenticationError'
  | 'BadRequestError'
  | 'ConflictError'
  | 'ConnectionError'
  | 'InsufficientScopeError'
  | 'KeySuspendedError'
  | 'NotFoundError'
  | 'RateLimitError'
  | 'ServerError'
  | 'TimeoutError'
  | 'UnprocessableError'
>();
expectTypeOf<ApiError['code']>().toEqualTypeOf<ErrorCode | (string & {}) | undefined>();
