import type { contract, OperationName } from '@animal-store/contract';
import { expectTypeOf } from 'vitest';
import type { AnimalStoreClient, Int64, ListPetsQuery, NewPet, Pet } from './index.ts';
import { ApiError, NotFoundError, RateLimitError, ServerError } from './index.ts';
import type { Results, SendRequest } from './request.ts';

interface Schema {
  '~standard': { types?: { input: unknown; output: unknown } | undefined };
}
type Input<S extends Schema> = NonNullable<S['~standard']['types']>['input'];
type Output<S extends Schema> = NonNullable<S['~standard']['types']>['output'];
type Contract = typeof contract;

// The client has the operations of the contract, all of them and no others.
expectTypeOf<keyof AnimalStoreClient>().toEqualTypeOf<OperationName>();
expectTypeOf<keyof Contract>().toEqualTypeOf<OperationName>();
expectTypeOf<keyof Results>().toEqualTypeOf<OperationName>();

// Each gives exactly what the contract promises, and never `any`.
type ListPets = Awaited<ReturnType<AnimalStoreClient['listPets']>>;
expectTypeOf<ListPets>().not.toBeAny();
expectTypeOf<ListPets[number]>().not.toBeAny();
expectTypeOf<ListPets>().toEqualTypeOf<Pet[]>();
expectTypeOf<ListPets>().toEqualTypeOf<Output<Contract['listPets']['responses'][200]>>();
expectTypeOf<Results['listPets']>().toEqualTypeOf<ListPets>();

type CreatePet = Awaited<ReturnType<AnimalStoreClient['createPet']>>;
expectTypeOf<CreatePet>().not.toBeAny();
expectTypeOf<CreatePet>().toEqualTypeOf<Output<Contract['createPet']['responses'][201]>>();
expectTypeOf<Results['createPet']>().toEqualTypeOf<CreatePet>();

type GetPet = Awaited<ReturnType<AnimalStoreClient['getPet']>>;
expectTypeOf<GetPet>().not.toBeAny();
expectTypeOf<GetPet>().toEqualTypeOf<Output<Contract['getPet']['responses'][200]>>();
expectTypeOf<Results['getPet']>().toEqualTypeOf<GetPet>();

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

declare const sendRequest: SendRequest;
declare const store: AnimalStoreClient;
// @ts-expect-error the contract has no such route
sendRequest('listPet', {});
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
