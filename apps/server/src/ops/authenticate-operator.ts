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

const sentTwice = 'Authorization: expected once, got it several times.';

// RFC 9110, §11.1: the scheme's name is case-insensitive. Wider than RFC 6750's token, because an
// operator chooses this one.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

export interface Operator {
  readonly actor: Actor;
  /** The token that says so: an operator's, a session's, or the `ADMIN_TOKEN`. */
  readonly token: string | undefined;
  /** Finds the role that the operator has in a transaction; `undefined` if it may no longer act. */
  readonly confirm: (tx: Database) => Promise<OperatorRole | undefined>;
}

/** Finds the operator who sends a request. @throws {AdminError} if nobody is found. */
export type Identify = (req: Request) => Promise<Operator>;

/** The user that the embedded server runs as: nobody else can open its socket. */
const localUser: Operator = {
  actor: { type: 'local_user', id: null, name: 'local user', role: 'owner' },
  token: undefined,
  confirm: async () => 'owner',
};

/** Wrong tokens that one network may send per minute. */
const guessesPerMinute = 10;

/** How many tokens are known to have been valid: far more than there are operators. */
const maxKnown = 1_000;

export interface OperatorAuthentication
  extends Pick<OpsSettings, 'adminToken' | 'guessDelayMs' | 'guessWindowSeconds'> {
  readonly clock: Clock;
  readonly sessions: Pick<OperatorSessions, 'find' | 'findByToken' | 'confirm'>;
}

/**
 * Finds the operator who sends a request, and refuses everybody else.
 *
 * What protects tokens is their length. Each failure costs its network a point, and without points it
 * waits for its refusal, so that a connection can guess once a second. A valid token always passes,
 * whatever its network has sent: otherwise anybody could lock operators out, and a leaked key could not
 * be revoked meanwhile.
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
  /** Hashes of tokens that were valid when they were last looked up. A revocation holds all the same. */
  const known = new LRUCache<string, true>({ max: maxKnown });

  async function find(token: string, isActive: boolean): Promise<Actor | undefined> {
    // Hashes have one length, and comparing them takes the same time however much of a guess is right.
    if (expected !== undefined && timingSafeEqual(digest(token), expected)) return bootstrap;
    if (isToken(token, 'operator')) return sessions.findByToken(token);
    return isToken(token, 'session') ? sessions.find(token, { isActive }) : undefined;
  }

  /** @throws {AdminError} 429 if a network has guessed too often. */
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
    // If it was valid once, nobody guessed it: it has expired or was revoked. Whoever sends it must learn
    // that, and not that their network has guessed too often. From now on it is a guess.
    if (!known.delete(hashToken(token))) await countGuess(network);
    throw invalidToken(adminErrorMessages.unauthorized);
  };
}

/** Takes every request for one of the user that the server runs as: for the Unix socket only. */
export const trustLocalUser: Identify = async () => localUser;

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The token that was sent is not right, or not of the kind that the operation takes. */
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
