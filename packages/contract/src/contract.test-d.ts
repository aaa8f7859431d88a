import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { z } from 'zod';
import type { contract } from './contract.ts';
import type { ErrorBody } from './error-body.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Int64 } from './int64.ts';
import type { NewPet, Pet, PetStatus, Pets } from './pet.ts';
import type { ListPetsQuery, PetPath } from './pet-parameters.ts';
import type { QuotaWindow, RateLimitStatus, rateLimitStatusContract } from './rate-limit-status.ts';
import type { OperationName } from './routes.ts';

// Is `true` if TypeScript has failed to infer the type `T`. Then `T` is `any` or `unknown`, or a
// list of such items.
type IsLost<T> = unknown extends T ? true : T extends readonly (infer I)[] ? IsLost<I> : false;

/**
 * Lists the parts of operations whose type TypeScript failed to infer. Each entry is a pair: the
 * name of the operation, and the status of the response or the part of the request, such as `body`.
 */
type Lost<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends { status: number }
    ? LostBody<Name, Operations[Name]>
    : LostPart<Name, Operations[Name]>;
}[keyof Operations];
type LostBody<Name, R> = R extends { status: infer Status; body: infer Body }
  ? true extends IsLost<Body>
    ? [Name, Status]
    : never
  : [Name, R];
type LostPart<Name, R> = {
  [Part in keyof R]: true extends IsLost<R[Part]> ? [Name, Part] : never;
}[keyof R];

type Public = typeof contract;
type Responses = ServerInferResponses<Public & typeof rateLimitStatusContract>;
type Request = ServerInferRequest<Public>;
type Success<Name extends keyof Responses> = Extract<
  Responses[Name],
  { status: 200 | 201 }
>['body'];
expectTypeOf<Lost<Responses>>().toEqualTypeOf<never>();
expectTypeOf<Lost<Request>>().toEqualTypeOf<never>();
expectTypeOf<keyof Public>().toEqualTypeOf<OperationName>();

// The requests and responses of each operation have the types that this package publishes.
expectTypeOf<Success<'listPets'>>().toEqualTypeOf<Pet[]>();
expectTypeOf<Success<'createPet' | 'getPet'>>().toEqualTypeOf<Pet>();
expectTypeOf<Success<'getRateLimit'>>().toEqualTypeOf<RateLimitStatus>();
expectTypeOf<
  Exclude<Responses[keyof Responses], { status: 200 | 201 }>['body']
>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Request['createPet']['body']>().toEqualTypeOf<NewPet>();
expectTypeOf<Request['getPet']['params']>().toEqualTypeOf<{ petId: Int64 }>();
type Headers = { 'idempotency-key'?: string | undefined };
expectTypeOf<Request['createPet']['headers']>().toEqualTypeOf<Headers>();
expectTypeOf<ClientInferRequest<Public>['createPet']['headers']>().toEqualTypeOf<Headers>();

expectTypeOf<string>().not.toExtend<ErrorCode>();

// Each published type equals the output type of its schema. It also equals the input type, if the
// schema converts no value.
expectTypeOf<z.output<typeof PetStatus>>().toEqualTypeOf<PetStatus>();
expectTypeOf<z.output<typeof Pets>>().toEqualTypeOf<Pets>();
expectTypeOf<z.input<typeof Pet>>().toEqualTypeOf<Pet>();
expectTypeOf<z.input<typeof NewPet>>().toEqualTypeOf<NewPet>();
expectTypeOf<z.output<typeof ErrorBody>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<z.output<typeof QuotaWindow>>().toEqualTypeOf<QuotaWindow>();
expectTypeOf<z.input<typeof PetPath>>().toEqualTypeOf<{ petId: Int64 | string }>();

// The type `ListPetsQuery` need not equal its schema, because it describes the arguments of
// `listPets` in the SDK. A ts-rest client must pass strings for some parameters.
type GivenQuery = ClientInferRequest<Public>['listPets']['query'];
expectTypeOf<Omit<ListPetsQuery, 'ids'>>().toEqualTypeOf<
  Omit<Request['listPets']['query'], 'ids'>
>();
expectTypeOf<ListPetsQuery['ids']>().toEqualTypeOf<readonly Int64[] | undefined>();
expectTypeOf<Omit<ListPetsQuery, 'ids'>>().toExtend<GivenQuery>();
expectTypeOf<{ ids: number[] }>().not.toExtend<GivenQuery>();
