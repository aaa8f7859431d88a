import type { Quota } from '@animal-store/contract';
import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { adminContract } from './admin-contract.ts';
import type { NewKey } from './admin-new-key.ts';
import type { adminRoutes } from './admin-routes.ts';

// If inference fails, a type is `any` or `unknown`, as a whole or in the items of a list.
type IsLost<T> = unknown extends T ? true : T extends readonly (infer I)[] ? IsLost<I> : false;

/**
 * Lists operations whose inference failed, with the statuses of lost bodies, or with the lost parts
 * of requests.
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

// A plan has fixed limits, and Enterprise keys need their own.
type Named = { name: string; account?: string | undefined; expiresAt?: string | undefined };
expectTypeOf<{ plan: 'free' } & Named>().toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; quota: Quota } & Named>().toExtend<NewKey>();
expectTypeOf<{ plan: 'free' }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; name: string }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'pro'; quota: Quota; name: string }>().not.toExtend<NewKey>();
// A caller may leave out the whole rotation.
expectTypeOf<undefined>().toExtend<ClientInferRequest<Admin>['rotateKey']['body']>();
