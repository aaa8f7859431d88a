import { type Session, sessionContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import { isToken } from '../keys/token.ts';
import type { Actor } from '../operators/operator-lookup.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import type { Clock } from '../shared/clock.ts';
import { invalidToken } from './authenticate-operator.ts';
import { operatorOf } from './change-request.ts';
import { operationsOf } from './ops-admission.ts';

/** The operations on sessions. */
export function createSessionHandlers(options: {
  sessions: OperatorSessions;
  clock: Pick<Clock, 'now'>;
}) {
  const { sessions, clock } = options;
  return initServer().router(sessionContract, {
    async createSession({ res }) {
      const { actor, token } = operatorOf(res);
      // Otherwise a session would never have to end. Nobody sends a token on the embedded server's socket.
      if (token === undefined || isToken(token, 'session')) {
        throw invalidToken('Send the token of an operator: a session cannot begin another one.');
      }
      const { expiresAt, token: session } = await sessions.begin(actor, token);
      return { status: 201, body: { session: toSession(actor, expiresAt), token: session } };
    },

    async endSession({ res }) {
      const { actor, token } = operatorOf(res);
      if (token === undefined || !isToken(token, 'session')) {
        throw invalidToken('Send the token of a session: this is none.');
      }
      await sessions.end(token);
      return { status: 200, body: toSession(actor, new Date(clock.now()).toISOString()) };
    },
  });
}

function toSession({ id, name, role }: Actor, expiresAt: string): Session {
  return {
    operator: { id, name, role },
    operations: operationsOf(role),
    expiresAt,
  };
}
