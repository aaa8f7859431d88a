import type { ClientInferRequest, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import { expectTypeOf } from 'vitest';
import type { ErrorBody, ErrorCode } from '../index.ts';
import type { PlanName, Quota } from '../plan.ts';
import type { Scope } from '../scope.ts';
import type {
  AdminErrorCode,
  AuditEntry,
  adminContract,
  adminRoutes,
  IssuedKey,
  IssuedOperator,
  Key,
  KeyChange,
  KeyDetails,
  KeySort,
  KeyState,
  ListedKey,
  NewKey,
  NewOperator,
  Operator,
} from './index.ts';

type Contract = typeof adminContract;
type Name = keyof typeof adminRoutes;
type Request = ServerInferRequest<Contract>;
type Responses = ServerInferResponses<Contract>;
type Body<Operation extends Name, Status> = Extract<
  Responses[Operation],
  { status: Status }
>['body'];

expectTypeOf<keyof Contract>().toEqualTypeOf<Name>();
expectTypeOf<Exclude<AdminErrorCode, ErrorCode>>().toEqualTypeOf<
  | 'account_not_found'
  | 'key_not_found'
  | 'key_not_active'
  | 'forbidden'
  | 'operator_not_found'
  | 'operator_not_active'
>();

// Requests, as a handler gets them.
type Labels = {
  name: string;
  account?: string | undefined;
  expiresAt?: string | undefined;
};
expectTypeOf<Request['createKey']['body']>().not.toBeAny();
expectTypeOf<Request['createKey']['body']>().toEqualTypeOf<NewKey>();
expectTypeOf<{ plan: 'free' } & Labels>().toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; quota: Quota } & Labels>().toExtend<NewKey>();
expectTypeOf<{ plan: 'free' }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'enterprise'; name: string }>().not.toExtend<NewKey>();
expectTypeOf<{ plan: 'pro'; quota: Quota; name: string }>().not.toExtend<NewKey>();

expectTypeOf<Request['listKeys']['query']>().not.toBeAny();
expectTypeOf<Request['listKeys']['query']>().toEqualTypeOf<{
  limit: number;
  plan?: PlanName | undefined;
  state?: KeyState | undefined;
  name?: string | undefined;
  account?: string | undefined;
  tokenPrefix?: string | undefined;
  search?: string | undefined;
  banned?: 'true' | undefined;
  deprecatedWithinDays?: number | undefined;
  unusedForDays?: number | undefined;
  sort?: KeySort | undefined;
  include?: 'recent' | undefined;
  cursor?: string | undefined;
}>();
expectTypeOf<Request['getKey']['params']>().toEqualTypeOf<{ keyId: string }>();
expectTypeOf<Request['changeKey']['body']>().not.toBeAny();
expectTypeOf<Request['changeKey']['body']>().toEqualTypeOf<KeyChange>();
expectTypeOf<KeyChange>().toEqualTypeOf<{
  name?: string | null | undefined;
  account?: string | null | undefined;
  expiresAt?: string | null | undefined;
  plan?: PlanName | undefined;
  quota?: Quota | undefined;
  scopes?: Scope[] | undefined;
}>();
expectTypeOf<Request['rotateKey']['body']>().toEqualTypeOf<{ graceSeconds: number }>();

// A caller may leave the whole rotation out.
expectTypeOf<undefined>().toExtend<ClientInferRequest<Contract['rotateKey']>['body']>();

// Statuses: these and no others.
type Common = 400 | 401 | 429 | 500 | 503;
type WithBody = 413 | 415;
expectTypeOf<Responses['createKey']['status']>().toEqualTypeOf<201 | Common | 403 | WithBody>();
expectTypeOf<Responses['listKeys']['status']>().toEqualTypeOf<200 | Common>();
expectTypeOf<Responses['getKey']['status']>().toEqualTypeOf<200 | Common | 404>();
expectTypeOf<Responses['changeKey']['status']>().toEqualTypeOf<
  200 | Common | 403 | 404 | 409 | WithBody
>();
expectTypeOf<Responses['rotateKey']['status']>().toEqualTypeOf<
  200 | Common | 403 | 404 | 409 | WithBody
>();
expectTypeOf<Responses['revokeKey']['status']>().toEqualTypeOf<200 | Common | 403 | 404>();
expectTypeOf<Responses['unbanKey']['status']>().toEqualTypeOf<200 | Common | 403 | 404>();

// Bodies, one by one: a failed inference is `any` or `unknown`, and both are found here.
expectTypeOf<Body<'createKey', 201>>().not.toBeAny();
expectTypeOf<Body<'createKey', 201>>().toEqualTypeOf<IssuedKey>();
expectTypeOf<Body<'listKeys', 200>>().not.toBeAny();
expectTypeOf<Body<'listKeys', 200>>().toEqualTypeOf<ListedKey[]>();
expectTypeOf<Body<'getKey', 200>>().not.toBeAny();
expectTypeOf<Body<'getKey', 200>>().toEqualTypeOf<KeyDetails>();
expectTypeOf<Body<'changeKey', 200>>().toEqualTypeOf<Key>();
expectTypeOf<Body<'rotateKey', 200>>().toEqualTypeOf<IssuedKey>();
expectTypeOf<Body<'revokeKey', 200>>().toEqualTypeOf<Key>();
expectTypeOf<Body<'suspendKey', 200>>().toEqualTypeOf<Key>();
expectTypeOf<Body<'resumeKey', 200>>().toEqualTypeOf<Key>();
expectTypeOf<Body<'unbanKey', 200>>().toEqualTypeOf<KeyDetails>();
expectTypeOf<Responses['revokeOperator']['status']>().toEqualTypeOf<200 | Common | 403 | 404>();
expectTypeOf<Request['createOperator']['body']>().toEqualTypeOf<NewOperator>();
expectTypeOf<Body<'createOperator', 201>>().toEqualTypeOf<IssuedOperator>();
expectTypeOf<Body<'listOperators', 200>>().toEqualTypeOf<Operator[]>();
expectTypeOf<Body<'rotateOperator', 200>>().toEqualTypeOf<IssuedOperator>();
expectTypeOf<Body<'revokeOperator', 200>>().toEqualTypeOf<Operator>();
expectTypeOf<Request['revokeKey']['query']>().toEqualTypeOf<{ reason?: string | undefined }>();
expectTypeOf<Body<'listAuditEntries', 200>>().not.toBeAny();
expectTypeOf<Body<'listAuditEntries', 200>>().toEqualTypeOf<AuditEntry[]>();
expectTypeOf<Body<Name, Common | 403 | 404 | WithBody>>().toEqualTypeOf<ErrorBody>();
expectTypeOf<Body<'changeKey' | 'rotateKey', 409>>().toEqualTypeOf<ErrorBody>();

// The inferred types, spelled out.
expectTypeOf<Key>().toEqualTypeOf<{
  id: string;
  name: string | null;
  account: string | null;
  plan: PlanName;
  quota: Quota;
  inForce: { subject: 'key' | 'account'; plan: PlanName; quota: Quota };
  scopes: Scope[];
  state: KeyState;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  suspension: { at: string; reason: string | null } | null;
  accountSuspension: { at: string; reason: string | null } | null;
  lastUsedAt: string | null;
  lastRefusedAt: string | null;
  tokens: { prefix: string; createdAt: string; expiresAt: string | null }[];
}>();
expectTypeOf<IssuedKey>().toEqualTypeOf<{ key: Key; token: string }>();
expectTypeOf<KeyDetails['usage']['scope']>().toEqualTypeOf<'service' | 'replica'>();
expectTypeOf<KeyState>().toEqualTypeOf<'active' | 'suspended' | 'expired' | 'revoked'>();
