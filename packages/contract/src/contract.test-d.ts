import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { z } from 'zod';
import type { contract } from './contract.ts';
import type { ErrorBody } from './error-body.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Int64 } from './int64.ts';
import type { NewPet, Pet, PetStatus, Pets } from './pet.ts';
import type { ListPetsQuery, PetPath } from './pet-parameters.ts';
import type { PlanName, Quota } from './plan.ts';
import type { OperationName } from './routes.ts';

type Contract = typeof contract;
type Request = ServerInferRequest<Contract>;
type Responses = ServerInferResponses<Contract>;
type Body<Name extends OperationName, Status> = Extract<
  Responses[Name],
  { status: Status }
>['body'];

expectTypeOf<keyof Contract>().toEqualTypeOf<OperationName>();
expectTypeOf<OperationName>().toEqualTypeOf<'listPets' | 'createPet' | 'getPet'>();

// Requests, as a handler gets them.
expectTypeOf<Request['listPets']['query']>().not.toBeAny();
expectTypeOf<Request['listPets']['query']>().toEqualTypeOf<{
  ids?: Int64[] | undefined;
  categoryId?: Int64 | undefined;
  limit?: number | undefined;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}>();
expectTypeOf<Request['createPet']['body']>().not.toBeAny();
expectTypeOf<Request['createPet']['body']>().toEqualTypeOf<{
  name: string;
  categoryId: number | bigint;
  status?: 'available' | 'pending' | 'sold' | undefined;
}>();
expectTypeOf<Request['createPet']['body']>().toEqualTypeOf<NewPet>();
expectTypeOf<Request['createPet']['headers']>().not.toBeAny();
expectTypeOf<Request['createPet']['headers']>().toEqualTypeOf<{
  'idempotency-key'?: string | undefined;
}>();
expectTypeOf<ClientInferRequest<Contract>['createPet']['headers']>().toEqualTypeOf<{
  'idempotency-key'?: string | undefined;
}>();
expectTypeOf<Request['getPet']['params']>().not.toBeAny();
expectTypeOf<Request['getPet']['params']>().toEqualTypeOf<{ petId: number | bigint }>();

// Statuses: these and no others.
type Common = 400 | 401 | 403 | 429 | 500 | 503;
expectTypeOf<Responses['listPets']['status']>().toEqualTypeOf<200 | Common>();
expectTypeOf<Responses['createPet']['status']>().toEqualTypeOf<
  201 | Common | 409 | 413 | 415 | 422
>();
expectTypeOf<Responses['getPet']['status']>().toEqualTypeOf<200 | Common | 404>();

// Each body separately: a failed inference is `any` or `unknown`, and both are found here.
expectTypeOf<Body<'listPets', 200>>().not.toBeAny();
expectTypeOf<Body<'listPets', 200>[number]>().not.toBeAny();
expectTypeOf<Body<'listPets', 200>>().toEqualTypeOf<Pet[]>();
expectTypeOf<Body<'createPet', 201>>().not.toBeAny();
expectTypeOf<Body<'createPet', 201>>().toEqualTypeOf<Pet>();
expectTypeOf<Body<'getPet', 200>>().not.toBeAny();
expectTypeOf<Body<'getPet', 200>>().toEqualTypeOf<Pet>();

expectTypeOf<Body<'listPets', Common>>().not.toBeAny();
expectTypeOf<Body<'listPets', Common>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 400>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 401>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 409>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 413>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 415>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 422>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 429>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 500>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'createPet', 503>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 400>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 401>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 404>>().not.toBeAny();
expectTypeOf<Body<'getPet', 404>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 429>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 500>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'getPet', 503>>().toEqualTypeOf<ErrorBody>();

// The published types, spelled out.
expectTypeOf<Int64>().toEqualTypeOf<number | bigint>();
expectTypeOf<PetStatus>().toEqualTypeOf<'available' | 'pending' | 'sold'>();
expectTypeOf<Pet>().toEqualTypeOf<{
  id: number;
  name: string;
  categoryId: Int64;
  status?: PetStatus | (string & {});
}>();
expectTypeOf<ErrorBody>().toEqualTypeOf<{ code: string; message: string; status: number }>();
expectTypeOf<PlanName>().toEqualTypeOf<'free' | 'pro' | 'business' | 'enterprise'>();
expectTypeOf<Quota>().toEqualTypeOf<{ perMinute: number; perDay: number }>();
expectTypeOf<string>().not.toExtend<ErrorCode>();

// Each type is its schema's output, in both directions, and where no value is converted its input.
expectTypeOf<z.output<typeof PetStatus>>().toEqualTypeOf<PetStatus>();
expectTypeOf<z.output<typeof Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<z.input<typeof Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<z.output<typeof Pets>>().toEqualTypeOf<Pets>();
expectTypeOf<z.output<typeof NewPet>>().toEqualTypeOf<NewPet>();
expectTypeOf<z.input<typeof NewPet>>().toEqualTypeOf<NewPet>();
expectTypeOf<z.output<typeof ErrorBody>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<z.output<typeof PetPath>>().toEqualTypeOf<{ petId: Int64 }>();
expectTypeOf<z.input<typeof PetPath>>().toEqualTypeOf<{ petId: Int64 | string }>();

// The list's query is the exception: the type is what a caller of the client gives. A caller of the
// contract gives texts where a query has no other form.
expectTypeOf<ListPetsQuery>().toEqualTypeOf<{
  ids?: readonly Int64[] | undefined;
  categoryId?: Int64 | undefined;
  limit?: number | undefined;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}>();
expectTypeOf<z.output<typeof ListPetsQuery>>().toExtend<ListPetsQuery>();
expectTypeOf<keyof z.output<typeof ListPetsQuery>>().toEqualTypeOf<keyof ListPetsQuery>();
expectTypeOf<z.input<typeof ListPetsQuery>>().toEqualTypeOf<{
  ids?: string | string[] | undefined;
  categoryId?: Int64 | string | undefined;
  limit?: string | number | undefined;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}>();
type GivenQuery = ClientInferRequest<Contract>['listPets']['query'];
expectTypeOf<Omit<ListPetsQuery, 'ids'>>().toExtend<GivenQuery>();
expectTypeOf<{ ids: number[] }>().not.toExtend<GivenQuery>();
