import { hash, timingSafeEqual } from 'node:crypto';
import {
  adminErrorMessages,
  type OperatorRole,
  operatorActiveHeader,
} from '@animal-store/admin-contract';
import { rateLimitHeaders } from '@animal-store/contract';
import { isRepeated, networkOf } from '@animal-store/http-server';
import type { Database } from '@animal-store/postgres';
import { type Clock, sleep } from '@animal-store/runtime';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { hashToken, isToken } from '../keys/token.ts';
import {
  type Actor,
  adminTokenActor,
  type OperatorSessions,
} from '../operators/operator-sessions.ts';
import { AdminError } from './admin-error.ts';
import type { OpsSettings } from './ops-settings.ts';

const realm = 'Bearer realm="animal-store-admin"';

const sentTwice = 'Authorization: expected one header, got several.';

// Matches the Authorization header with a bearer token. The name of the scheme is case-insensitive
// (RFC 9110, §11.1). More characters are allowed than in RFC 6750, because operators choose the
// ADMIN_TOKEN.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

export interface Operator {
  readonly actor: Actor;
  /**
   * The token with which the operator has authenticated: a token of the operator, a token of a
   * session, or the `ADMIN_TOKEN`.
   */
  readonly token: string | undefined;
  /**
   * Finds the role of the operator within a transaction. Returns `undefined` if the operator no
   * longer has permission.
   */
  readonly confirm: (tx: Database) => Promise<OperatorRole | undefined>;
}

/**
 * A function that finds the operator who sends a request.
 *
 * @throws {AdminError} if the request does not come from an operator.
 */
export type Identify = (req: Request) => Promise<Operator>;

/**
 * The operator for requests on the Unix socket of the embedded server. Only the user who runs the
 * server can open this socket.
 */
const localUser: Operator = {
  actor: { type: 'local_user', id: null, name: 'local user', role: 'owner' },
  token: undefined,
  confirm: async () => 'owner',
};

/** The number of wrong tokens that one network may send per minute. */
const guessesPerMinute = 10;

/** The number of valid tokens that are remembered. It is far more than there are operators. */
const maxKnownTokens = 1_000;

export interface OperatorAuthentication
  extends Pick<OpsSettings, 'adminToken' | 'guessDelayMs' | 'guessWindowSeconds'> {
  readonly clock: Clock;
  readonly sessions: Pick<OperatorSessions, 'find' | 'findByToken' | 'confirm'>;
}

/**
 * Creates the function that identifies the operator of a request and refuses everyone else.
 *
 * Tokens are too long to be guessed. In addition, each network may send only a few wrong tokens.
 * After that, each refusal is delayed, so that a connection can guess only once a second. A valid
 * token is always accepted, even from a network that has sent wrong tokens. Otherwise an attacker
 * could lock operators out, and nobody could revoke a leaked API key in the meantime.
 */
export function authenticateOperator({
  adminToken,
  sessions,
  clock,
  guessDelayMs,
  guessWindowSeconds,
}: OperatorAuthentication): Identify {
  const adminTokenDigest = adminToken === undefined ? undefined : digest(adminToken);
  const guesses = new RateLimiterMemory({
    points: guessesPerMinute,
    duration: guessWindowSeconds,
  });
  /**
   * The hashes of tokens that were valid when they were last used. If such a token has been
   * revoked, the next request with it gets 401, but does not count as a guess.
   */
  const knownTokens = new LRUCache<string, true>({ max: maxKnownTokens });

  async function findActor(token: string, isActive: boolean): Promise<Actor | undefined> {
    // The hashes of the tokens are compared, not the tokens. Hashes have a fixed length, and
    // `timingSafeEqual` takes the same time for every wrong guess (timing attack).
    if (adminTokenDigest !== undefined && timingSafeEqual(digest(token), adminTokenDigest))
      return adminTokenActor;
    if (isToken(token, 'operator')) return sessions.findByToken(token);
    return isToken(token, 'session') ? sessions.find(token, { isActive }) : undefined;
  }

  /**
   * Counts a wrong token of a network.
   *
   * @throws {AdminError} 429 if the network has sent too many wrong tokens.
   */
  async function countGuess(network: string): Promise<void> {
    try {
      await guesses.consume(network);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      await sleep(guessDelayMs, clock);
      throw tooManyGuesses(reason.msBeforeNext - guessDelayMs);
    }
  }

  return async function requireOperator(req) {
    const authorization = req.get('Authorization');
    if (authorization === undefined) {
      throw unauthorized('Send your token as "Authorization: Bearer <token>".', realm);
    }
    if (isRepeated(req, 'authorization')) {
      throw unauthorized(sentTwice, `${realm}, error="invalid_request"`);
    }
    const network = networkOf(req);
    const token = bearer.exec(authorization)?.[1] ?? '';
    const actor = await findActor(token, req.get(operatorActiveHeader) === 'true');
    if (actor !== undefined) {
      knownTokens.set(hashToken(token), true);
      return { actor, token, confirm: (tx) => sessions.confirm(tx, actor, token) };
    }
    // A token that was valid at its last use is not a guess, because it has expired or was revoked
    // since then. So its next use gets 401 and is not counted, even if the network has sent too
    // many wrong tokens. Every later use of the token counts as a guess.
    if (!knownTokens.delete(hashToken(token))) await countGuess(network);
    throw invalidToken(adminErrorMessages.unauthorized);
  };
}

/**
 * Identifies every sender of a request as the local user. The function is only safe for the Unix
 * socket.
 */
export const trustLocalUser: Identify = async () => localUser;

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * Creates the 401 error for a token that is unknown, or that belongs to a kind of token that the
 * operation does not accept.
 */
export function invalidToken(message: string): AdminError {
  return unauthorized(message, `${realm}, error="invalid_token"`);
}

function unauthorized(message: string, challenge: string): AdminError {
  return new AdminError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}

function tooManyGuesses(msBeforeNext: number): AdminError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AdminError('rate_limit_exceeded', adminErrorMessages.rate_limit_exceeded(seconds), {
    headers: { [rateLimitHeaders.retryAfter]: String(seconds) },
  });
}
