import type { Quota } from '@animal-store/contract';
import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { adminContract } from './admin-contract.ts';
import type { NewKey } from './admin-new-key.ts';
import type { adminRoutes } from './admin-routes.ts';

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
// Callers may rotate a key without a body, because every field of the body has a default.
expectTypeOf<undefined>().toExtend<ClientInferRequest<Admin>['rotateKey']['body']>();
