import { type Session, sessionContract } from '@animal-store/admin-contract';
import { initServer } from '@ts-rest/express';
import { isToken } from '../keys/token.ts';
import type { Actor } from '../operators/operator-sessions.ts';
import { type AdminServices, confirmActorOf, operatorOf } from './admin-operation.ts';
import { invalidToken } from './authenticate-operator.ts';
import { operationsOf } from './operator-role.ts';

export function createSessionHandlers({ sessions, clock, usageKeptMs }: AdminServices) {
  const toSession = ({ id, name, role }: Actor, expiresAt: string): Session => ({
    operator: { id, name, role },
    operations: operationsOf(role),
    usageKeptSeconds: {
      minute: usageKeptMs.minutes / 1_000,
      hour: usageKeptMs.hours / 1_000,
      day: usageKeptMs.days / 1_000,
    },
    expiresAt,
  });

  return initServer().router(sessionContract, {
    async createSession({ res }) {
      const { actor, token } = operatorOf(res);
      // A session must not begin another session, because an operator could then stay logged in
      // forever by a chain of sessions. Requests on the Unix socket of the embedded server have no
      // token, so they cannot begin a session either.
      if (token === undefined || isToken(token, 'session')) {
        throw invalidToken(
          'Send the token of an operator instead: a session cannot create another session.',
        );
      }
      const { expiresAt, token: session } = await sessions.begin(actor, token, confirmActorOf(res));
      return { status: 201, body: { session: toSession(actor, expiresAt), token: session } };
    },

    async endSessions({ res }) {
      const { actor } = operatorOf(res);
      await sessions.endAll(actor.id, confirmActorOf(res));
      return { status: 200, body: toSession(actor, new Date(clock.now()).toISOString()) };
    },

    async endSession({ res }) {
      const { actor, token } = operatorOf(res);
      if (token === undefined || !isToken(token, 'session')) {
        throw invalidToken('Send the token of a session, which begins with asc_.');
      }
      await sessions.end(token);
      return { status: 200, body: toSession(actor, new Date(clock.now()).toISOString()) };
    },
  });
}
