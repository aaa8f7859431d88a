import { type Session, sessionContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { isToken } from '../keys/token.ts';
import type { Actor } from '../operators/operator-lookup.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import { invalidToken } from './authenticate-operator.ts';
import { operationsOf } from './require-role.ts';

/** The operations on sessions. */
export function createSessionHandlers(sessions: OperatorSessions) {
  return initServer().router(sessionContract, {
    async createSession({ res }) {
      const { actor, token } = callerOf(res);
      // Otherwise a session would never have to end. Nobody sends a token on the embedded server's socket.
      if (token === undefined || isToken(token, 'session')) {
        throw invalidToken('Send the token of an operator: a session cannot begin another one.');
      }
      const { expiresAt, token: session } = await sessions.begin(actor, token);
      return { status: 201, body: { session: toSession(actor, expiresAt), token: session } };
    },

    async endSession({ res }) {
      const { actor, token } = callerOf(res);
      if (token === undefined || !isToken(token, 'session')) {
        throw invalidToken('Send the token of a session: this is none.');
      }
      await sessions.end(token);
      return { status: 200, body: toSession(actor, new Date().toISOString()) };
    },
  });
}

/** The operator that the authentication found. */
function callerOf(res: Response) {
  const { actor, token } = res.locals;
  if (actor === undefined) throw new Error('A request without an operator reached a handler.');
  return { actor, token };
}

function toSession({ id, name, role }: Actor, expiresAt: string): Session {
  return {
    operator: { id, name, role },
    operations: operationsOf(role),
    expiresAt,
  };
}
