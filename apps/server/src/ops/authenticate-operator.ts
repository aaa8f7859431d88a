import { hash, timingSafeEqual } from 'node:crypto';
import {
  adminErrorMessages,
  type OperatorRole,
  operatorActiveHeader,
} from '@animal-store/admin-contract';
import { rateLimitHeaders } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { type Clock, sleep } from '@animal-store/runtime';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/client-network.ts';
import { isRepeated } from '../http/repeated-header.ts';
import { hashToken, isToken } from '../keys/token.ts';
import { type Actor, bootstrap, type OperatorSessions } from '../operators/operator-sessions.ts';
import { AdminError } from './admin-error.ts';
import type { OpsSettings } from './ops-settings.ts';

const realm = 'Bearer realm="animal-store-admin"';

const sentTwice = 'Authorization: expected one header, got several.';

// The name of the scheme is case-insensitive (RFC 9110, §11.1). The token may have more characters
// than in RFC 6750, because an operator chooses the ADMIN_TOKEN.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

export interface Operator {
  readonly actor: Actor;
  /** The token that identifies the operator: an operator's, a session's, or the `ADMIN_TOKEN`. */
  readonly token: string | undefined;
  /** Finds the role of the operator in a transaction; `undefined` if its permission has ended. */
  readonly confirm: (tx: Database) => Promise<OperatorRole | undefined>;
}

/**
 * Finds the operator who sends a request.
 *
 * @throws {AdminError} if the request is not from an operator.
 */
export type Identify = (req: Request) => Promise<Operator>;

/** The user that the embedded server runs as. Only this user can open the server's socket. */
const localUser: Operator = {
  actor: { type: 'local_user', id: null, name: 'local user', role: 'owner' },
  token: undefined,
  confirm: async () => 'owner',
};

/** How many wrong tokens one network may send per minute. */
const guessesPerMinute = 10;

/** How many valid tokens are remembered, which is far more than there are operators. */
const maxKnown = 1_000;

export interface OperatorAuthentication
  extends Pick<OpsSettings, 'adminToken' | 'guessDelayMs' | 'guessWindowSeconds'> {
  readonly clock: Clock;
  readonly sessions: Pick<OperatorSessions, 'find' | 'findByToken' | 'confirm'>;
}

/**
 * Creates the function that identifies the operator of a request and refuses everyone else.
 *
 * Tokens are protected by their length. Each failure costs the network a point. A network without
 * points waits for its refusal, so that a connection can guess only once a second. A valid token
 * always passes, even from a network that sent wrong ones. Otherwise an attacker could lock
 * operators out, and a leaked key could not be revoked meanwhile.
 */
export function authenticateOperator({
  adminToken,
  sessions,
  clock,
  guessDelayMs,
  guessWindowSeconds,
}: OperatorAuthentication): Identify {
  const expected = adminToken === undefined ? undefined : digest(adminToken);
  const guesses = new RateLimiterMemory({
    points: guessesPerMinute,
    duration: guessWindowSeconds,
  });
  /**
   * Hashes of tokens that were valid at their last use. They only avoid penalties; revoked tokens
   * are still refused.
   */
  const known = new LRUCache<string, true>({ max: maxKnown });

  async function find(token: string, isActive: boolean): Promise<Actor | undefined> {
    // Hashes have a fixed length, and comparing them takes the same time however much of a guess is
    // right.
    if (expected !== undefined && timingSafeEqual(digest(token), expected)) return bootstrap;
    if (isToken(token, 'operator')) return sessions.findByToken(token);
    return isToken(token, 'session') ? sessions.find(token, { isActive }) : undefined;
  }

  /** @throws {AdminError} 429 if the network has sent too many wrong tokens. */
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
    const given = req.get('Authorization');
    if (given === undefined) {
      throw unauthorized('Send your token as "Authorization: Bearer <token>".', realm);
    }
    if (isRepeated(req, 'authorization')) {
      throw unauthorized(sentTwice, `${realm}, error="invalid_request"`);
    }
    const network = networkOf(req);
    const token = bearer.exec(given)?.[1] ?? '';
    const actor = await find(token, req.get(operatorActiveHeader) === 'true');
    if (actor !== undefined) {
      known.set(hashToken(token), true);
      return { actor, token, confirm: (tx) => sessions.confirm(tx, actor, token) };
    }
    // A token that was valid earlier is not a guess: it has expired or was revoked. Its sender must
    // learn the reason, and not get a message about too many guesses. If it is sent again, it
    // counts as a guess.
    if (!known.delete(hashToken(token))) await countGuess(network);
    throw invalidToken(adminErrorMessages.unauthorized);
  };
}

/** Identifies every request as the local user. Use it only for the Unix socket. */
export const trustLocalUser: Identify = async () => localUser;

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * Creates the 401 for a token that is wrong, or that is not of the kind that the operation
 * requires.
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
