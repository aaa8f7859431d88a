import { hash, timingSafeEqual } from 'node:crypto';
import { rateLimitHeaders } from '@animal-store/contract';
import { adminErrorMessages, operatorActiveHeader } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';
import { authorizedTwice, isAuthorizedTwice } from '../http/repeated-authorization.ts';
import { hashToken, isToken } from '../keys/token.ts';
import { type Actor, bootstrap } from '../operators/operator-lookup.ts';
import type { OperatorSessions } from '../operators/operator-sessions.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import type { Timings } from '../shared/timings.ts';
import { guesserOf } from './guesser-network.ts';
import { createGuessLimit, type Identified } from './limit-guesses.ts';

const realm = 'Bearer realm="animal-store-admin"';

// RFC 9110, §11.1: the scheme's name is case-insensitive. Wider than RFC 6750's token, because an
// operator chooses this one.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** The user that the embedded server runs as: nobody else can open its socket. */
const localUser: Actor = { type: 'local_user', id: null, name: 'local user', role: 'owner' };

export interface OperatorAuthentication {
  readonly clock: Clock;
  readonly timings: Timings['ops'];
  /** `undefined` if only named operators may use the admin API. */
  readonly adminToken: string | undefined;
  readonly findOperator: (token: string) => Promise<Actor | undefined>;
  readonly sessions: Pick<OperatorSessions, 'find' | 'findAndExtend' | 'hashesOf'>;
  /** Reads the hashes of all valid tokens and sessions. */
  readonly readHashes: () => Promise<ReadonlySet<string>>;
}

/**
 * Finds the operator who sends a request, and refuses everybody else.
 *
 * What protects tokens is their length; the limit of guesses keeps a guesser from using up the CPU and
 * the database.
 */
export function authenticateOperator({
  adminToken,
  findOperator,
  sessions,
  readHashes,
  clock,
  timings: { guessDelayMs, readHashesMs },
}: OperatorAuthentication): RequestHandler {
  const expected = adminToken === undefined ? undefined : digest(adminToken);
  const guesses = createGuessLimit({ clock, readHashesMs, readHashes });

  function identify(
    network: string,
    token: string,
    findSession: OperatorSessions['find'],
  ): Identified | Promise<Identified> {
    // Hashes have one length, and comparing them takes the same time however much of a guess is right.
    if (expected !== undefined && timingSafeEqual(digest(token), expected)) {
      return { actor: bootstrap };
    }
    if (isToken(token, 'session')) {
      const lookUp = () => findSession(token);
      return guesses.find(network, { hashes: sessions.hashesOf(token), lookUp });
    }
    if (isToken(token, 'operator')) {
      const lookUp = () => findOperator(token);
      return guesses.find(network, { hashes: [hashToken(token)], lookUp });
    }
    return guesses.count(network);
  }

  return async function requireOperator(req, res, next) {
    const given = req.get('Authorization');
    if (given === undefined) {
      throw unauthorized('Send your token as "Authorization: Bearer <token>".', realm);
    }
    if (isAuthorizedTwice(req)) {
      throw unauthorized(authorizedTwice, `${realm}, error="invalid_request"`);
    }
    const token = bearer.exec(given)?.[1];
    const network = guesserOf(req);
    const isActive = req.get(operatorActiveHeader) === 'true';
    const { actor, waitMs } = await (token === undefined
      ? guesses.count(network)
      : identify(network, token, isActive ? sessions.findAndExtend : sessions.find));
    res.locals.token = token;
    res.locals.actor = actor;
    if (actor !== undefined) return next();
    if (waitMs !== undefined) {
      await sleep(guessDelayMs, clock);
      throw tooManyGuesses(waitMs - guessDelayMs);
    }
    throw invalidToken(adminErrorMessages.unauthorized);
  };
}

/** Takes every request for one of the user that the server runs as: for the Unix socket only. */
export const trustLocalUser: RequestHandler = function noteLocalUser(_req, res, next) {
  res.locals.actor = localUser;
  next();
};

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The token that was sent is not right, or not of the kind that the operation takes. */
export function invalidToken(message: string): HttpError {
  return unauthorized(message, `${realm}, error="invalid_token"`);
}

function unauthorized(message: string, challenge: string): HttpError {
  return new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}

function tooManyGuesses(msBeforeNext: number): HttpError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new HttpError('rate_limit_exceeded', adminErrorMessages.rate_limit_exceeded(seconds), {
    headers: { [rateLimitHeaders.retryAfter]: String(seconds) },
  });
}
