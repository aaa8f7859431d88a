import {
  adminRoutes,
  auditContract,
  operatorContract,
  type Session,
  sessionContract,
} from '@animal-store/admin-contract';
import { initServer } from '@ts-rest/express';
import { isToken } from '../keys/token.ts';
import type { Actor } from '../operators/operator-sessions.ts';
import { readPage } from './admin-cursor.ts';
import {
  type AdminServices,
  causeOf,
  change,
  confirmActorOf,
  operatorOf,
} from './admin-operation.ts';
import { invalidToken } from './authenticate-operator.ts';
import { operationsOf } from './operator-role.ts';

export function createOperatorHandlers({ operators, sessions }: AdminServices) {
  return initServer().router(operatorContract, {
    async createOperator(request) {
      return { status: 201, body: await operators.create(request.body, causeOf(request)) };
    },
    async listOperators({ query: { search } }) {
      return { status: 200, body: await operators.list(search) };
    },
    rotateOperator: change(({ params, body }, cause) =>
      operators.rotate(params.operatorId, body.graceSeconds, cause),
    ),
    revokeOperator: change(({ params }, cause) => operators.revoke(params.operatorId, cause)),
    async listOperatorSessions({ params: { operatorId } }) {
      await operators.find(operatorId);
      return { status: 200, body: await sessions.listOf(operatorId) };
    },
    async endOperatorSessions({ params: { operatorId }, res }) {
      await operators.find(operatorId);
      const ended = await sessions.listOf(operatorId);
      await sessions.endOf(operatorId, confirmActorOf(res));
      return { status: 200, body: ended };
    },
  });
}

export function createAuditHandlers({ audit }: AdminServices) {
  return initServer().router(auditContract, {
    async listAuditEntries({ query: { limit, cursor, count, ...filter }, res }) {
      const { path } = adminRoutes.listAuditEntries;
      const list = { path, limit, filter };
      const entries = await readPage(
        res,
        list,
        { cursor, count },
        {
          find: (from) => audit.list(filter, limit, from),
          count: () => audit.count(filter),
        },
      );
      return { status: 200, body: entries };
    },
  });
}

export function createSessionHandlers({ sessions, clock }: AdminServices) {
  return initServer().router(sessionContract, {
    async createSession({ res }) {
      const { actor, token } = operatorOf(res);
      // A session must not begin another session, because an operator could then stay logged in
      // forever by a chain of sessions. Requests on the Unix socket of the embedded server have no
      // token.
      if (token === undefined || isToken(token, 'session')) {
        throw invalidToken(
          'Send the token of an operator: a session cannot create another session.',
        );
      }
      const { expiresAt, token: session } = await sessions.begin(actor, token, confirmActorOf(res));
      return { status: 201, body: { session: toSession(actor, expiresAt), token: session } };
    },

    async endSessions({ res }) {
      const { actor } = operatorOf(res);
      await sessions.endOf(actor.id, confirmActorOf(res));
      return { status: 200, body: toSession(actor, new Date(clock.now()).toISOString()) };
    },

    async endSession({ res }) {
      const { actor, token } = operatorOf(res);
      if (token === undefined || !isToken(token, 'session')) {
        throw invalidToken('Send the token of a session: it begins with asc_.');
      }
      await sessions.end(token);
      return { status: 200, body: toSession(actor, new Date(clock.now()).toISOString()) };
    },
  });
}

function toSession({ id, name, role }: Actor, expiresAt: string): Session {
  return { operator: { id, name, role }, operations: operationsOf(role), expiresAt };
}
