import { hash, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimitHeaders } from '@animal-store/contract';
import { adminErrorMessages } from '@animal-store/contract/admin';
import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../http/api-error.ts';
import { networkOf } from '../http/client-network.ts';

const realm = 'Bearer realm="animal-store-admin"';

// RFC 9110, §11.1: the scheme's name is case-insensitive. Wider than RFC 6750's token, because an
// operator chooses this one.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Wrong tokens that one network may send per minute before its wrong tokens are answered slowly. */
const guesses = { points: 10, duration: 60 } as const;

/** How long a connection waits for the answer to one guess too many. */
const guessDelayMs = 1_000;

/**
 * Lets requests with the admin token through.
 *
 * The right token always passes, whatever else its network has sent: otherwise anybody could lock
 * operators out, and a leaked key could not be revoked meanwhile. What protects the token is its
 * length; the limit keeps a guesser from using up the CPU and from filling the log.
 */
export function requireAdminToken(adminToken: string): RequestHandler {
  const expected = digest(adminToken);
  const limiter = new RateLimiterMemory(guesses);

  return async function requireAdmin(req, _res, next) {
    const given = req.get('Authorization');
    if (given === undefined) {
      throw unauthorized('Send the admin token as "Authorization: Bearer <ADMIN_TOKEN>".', realm);
    }
    const token = bearer.exec(given)?.[1];
    // Hashes have one length, and comparing them takes the same time however much of a guess is right.
    if (token !== undefined && timingSafeEqual(digest(token), expected)) return next();
    await limiter.consume(guesserOf(req)).catch(async (reason: unknown) => {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      await sleep(guessDelayMs);
      throw tooManyGuesses(reason.msBeforeNext - guessDelayMs);
    });
    throw unauthorized(adminErrorMessages.unauthorized, `${realm}, error="invalid_token"`);
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

function unauthorized(message: string, challenge: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}

function tooManyGuesses(msBeforeNext: number): ApiError {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new ApiError('rate_limit_exceeded', adminErrorMessages.rate_limit_exceeded(seconds), {
    headers: { [rateLimitHeaders.retryAfter]: String(seconds) },
  });
}
