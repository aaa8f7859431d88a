import { adminErrorMessages } from '@animal-store/admin-contract';
import { StatementTooSlowError } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import type { ErrorRequestHandler, Response } from 'express';
import type { AccountManagement } from '../accounts/account-management.ts';
import type { AuditLog, Cause } from '../audit/audit-log.ts';
import type { ReadBans } from '../bans/current-bans.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { OperatorManagement } from '../operators/operator-management.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { ServiceQuotas } from '../quotas/open-quotas.ts';
import { AdminRefusal } from '../schema/admin-refusal.ts';
import type { UsageQueries } from '../usage/usage-queries.ts';
import type { UsageSettings } from '../usage/usage-settings.ts';
import { AdminError } from './admin-error.ts';
import { invalidToken, type Operator } from './authenticate-operator.ts';
import type { Health } from './health.ts';
import { missingRole } from './operator-role.ts';

/** The parts of the service that the admin API uses. */
export interface AdminServices {
  readonly clock: Clock;
  readonly keys: KeyManagement;
  readonly accounts: AccountManagement;
  readonly quotas: ServiceQuotas;
  readonly operators: OperatorManagement;
  readonly sessions: OperatorSessions;
  readonly usage: UsageQueries;
  /** How long usage is kept, in milliseconds. */
  readonly usageKeptMs: UsageSettings['keptMs'];
  readonly overview: OverviewReader;
  readonly audit: AuditLog;
  readonly readBans: ReadBans;
  readonly health: Pick<Health, 'report'>;
}

declare global {
  namespace Express {
    /** The values that the middleware of the ops listener adds to a request. */
    interface Locals {
      /**
       * The operator who sends the request; `undefined` until admission has identified the
       * operator.
       */
      operator?: Operator | undefined;
      keyId?: string | undefined;
      /** The name of the account that the request is about. Tokens in the name are masked. */
      account?: string | undefined;
      /** The reasons in the response of `/readyz`, if the status is `not_ready` or `degraded`. */
      reasons?: readonly string[] | undefined;
    }
  }
}

/**
 * Returns the operator of a request. Call the function only in handlers, because admission has
 * identified the operator before a handler runs.
 */
export function operatorOf({ locals: { operator } }: Response): Operator {
  if (operator === undefined) {
    throw new TypeError(
      'A handler was called before the operator of the request was identified. Run the middleware of ops-admission.ts before every handler.',
    );
  }
  return operator;
}

/** A request that changes something, as ts-rest passes it to a handler. */
interface ChangeRequest {
  readonly query: { readonly reason?: string | undefined };
  readonly res: Response;
}

/** Returns who requested a change and why, for the audit log. */
export function causeOf({ res, query: { reason } }: ChangeRequest): Cause {
  const { actor } = operatorOf(res);
  return { actor, requestId: res.locals.requestId, reason, confirmActor: confirmActorOf(res) };
}

/**
 * Returns a function that checks, in the transaction of a change, that the operator still has
 * permission to make the change.
 */
export function confirmActorOf(res: Response): NonNullable<Cause['confirmActor']> {
  const { confirm } = operatorOf(res);
  return async function confirmActor(tx) {
    const role = await confirm(tx);
    if (role === undefined) {
      throw new AdminRefusal('unauthorized', adminErrorMessages.unauthorized);
    }
    const refusal = missingRole(role, res.req);
    if (refusal !== undefined) throw new AdminRefusal('forbidden', refusal.message);
  };
}

/** Creates a handler that makes a change. The response contains the changed object. */
export function change<Request extends ChangeRequest, Changed>(
  makeChange: (request: Request, cause: Cause) => Promise<Changed>,
) {
  return async (request: Request) => ({
    status: 200 as const,
    body: await makeChange(request, causeOf(request)),
  });
}

/**
 * Converts errors of the code outside this folder, such as `AdminRefusal`, into errors of the admin
 * API. This error handler runs before the error mapper.
 */
export const translateRefusal: ErrorRequestHandler = (failure, _req, _res, next) => {
  if (failure instanceof StatementTooSlowError) {
    const { statementTooSlow } = adminErrorMessages;
    const options = { headers: { 'Retry-After': '1' }, cause: failure };
    return next(new AdminError('service_unavailable', statementTooSlow, options));
  }
  if (!(failure instanceof AdminRefusal)) return next(failure);
  const { code, message } = failure;
  if (code === 'unauthorized') return next(invalidToken(message));
  const headers = code === 'service_unavailable' ? { 'Retry-After': '1' } : {};
  next(new AdminError(code, message, { headers }));
};
