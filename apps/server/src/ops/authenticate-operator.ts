import { hash, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimitHeaders } from '@animal-store/contract';
import { adminErrorMessages } from '@animal-store/contract/admin';
import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import { isToken } from '../keys/token.ts';
import { type Actor, bootstrap } from '../operators/operator-lookup.ts';

const realm = 'Bearer realm="animal-store-admin"';

// RFC 9110, §11.1: the scheme's name is case-insensitive. Wider than RFC 6750's token, because an
// operator chooses this one.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Wrong tokens that one network may send per minute before its wrong tokens are answered slowly. */
const guesses = { points: 10, duration: 60 } as const;

/** How long a connection waits for the answer to one guess too many. */
const guessDelayMs = 1_000;

/** The user that the embedded server runs as: nobody else can open its socket. */
const localUser: Actor = { type: 'local_user', id: null, name: 'local user', role: 'owner' };

export interface OperatorAuthentication {
  /** `undefined` if only named operators may use the admin API. */
  readonly adminToken: string | undefined;
  readonly findOperator: (token: string) => Promise<Actor | undefined>;
  readonly findSession: (session: string) => Promise<Actor | undefined>;
}

/**
 * Finds the operator who sends a request, and refuses everybody else.
 *
 * A valid token always passes, whatever else its network has sent: otherwise anybody could lock
 * operators out, and a leaked key could not be revoked meanwhile. What protects tokens is their
 * length; the limit keeps a guesser from using up the CPU and from filling the log.
 */
export function authenticateOperator({
  adminToken,
  findOperator,
  findSession,
}: OperatorAuthentication): RequestHandler {
  const expected = adminToken === undefined ? undefined : digest(adminToken);
  const limiter = new RateLimiterMemory(guesses);

  async function findActor(token: string | undefined): Promise<Actor | undefined> {
    if (token === undefined) return undefined;
    // Hashes have one length, and comparing them takes the same time however much of a guess is right.
    if (expected !== undefined && timingSafeEqual(digest(token), expected)) return bootstrap;
    if (isToken(token, 'session')) return findSession(token);
    return isToken(token, 'operator') ? findOperator(token) : undefined;
  }

  return async function requireOperator(req, res, next) {
    const given = req.get('Authorization');
    if (given === undefined) {
      throw unauthorized('Send your token as "Authorization: Bearer <token>".', realm);
    }
    const token = bearer.exec(given)?.[1];
    res.locals.token = token;
    res.locals.actor = await findActor(token);
    if (res.locals.actor !== undefined) return next();
    await limiter.consume(guesserOf(req)).catch(async (reason: unknown) => {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      await sleep(guessDelayMs);
      throw tooManyGuesses(reason.msBeforeNext - guessDelayMs);
    });
    throw invalidToken(adminErrorMessages.unauthorized);
  };
}

/** Takes every request for one of the user that the server runs as: for the Unix socket only. */
export function trustLocalUser(): RequestHandler {
  return function noteLocalUser(_req, res, next) {
    res.locals.actor = localUser;
    next();
  };
}

/** The network that a guess counts against. All of 127.0.0.0/8 is this one machine. */
function guesserOf({ ip, socket }: Request): string {
  const network = networkOf(ip, socket);
  const isLoopback = ipaddr.isValid(network) && ipaddr.parse(network).range() === 'loopback';
  return isLoopback ? 'loopback' : network;
}

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
