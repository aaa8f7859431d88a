import type { Quota } from '@animal-store/contract';
import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { adminContract } from './admin-contract.ts';
import type { NewKey } from './admin-new-key.ts';
import type { adminRoutes } from './admin-routes.ts';

// Whether TypeScript has failed to infer a type. The type is then `any` or `unknown`, as a whole or
// for the items of a list.
type IsLost<T> = unknown extends T ? true : T extends readonly (infer I)[] ? IsLost<I> : false;

/**
 * The operations with a type that TypeScript failed to infer. For responses, each entry contains
 * the status; for requests, it contains the part, such as `body`.
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

type Admin = typeof adminContract;
expectTypeOf<Lost<ServerInferResponses<Admin>>>().toEqualTypeOf<never>();
expectTypeOf<Lost<ServerInferRequest<Admin>>>().toEqualTypeOf<never>();
expectTypeOf<keyof Admin>().toEqualTypeOf<keyof typeof adminRoutes>();

// The plans free, pro and business have fixed limits, so a key with one of these plans has no
// `quota`. An Enterprise key needs a `quota`.
type Named = { name: string; account?: string | undefined; expiresAt?: string | undefined };
expectTypeOf<{ plan: 'free' } & Named>().toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; quota: Quota } & Named>().toExtend<NewKey>();
expectTypeOf<{ plan: 'free' }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; name: string }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'pro'; quota: Quota; name: string }>().not.toExtend<NewKey>();
// The body of a rotation is optional.
expectTypeOf<undefined>().toExtend<ClientInferRequest<Admin>['rotateKey']['body']>();
