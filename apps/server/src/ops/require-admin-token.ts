import { hash, timingSafeEqual } from 'node:crypto';
import { rateLimitHeaders } from '@animal-store/contract';
import { adminErrorMessages } from '@animal-store/contract/admin';
import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../http/api-error.ts';
import { networkOf } from '../http/client-network.ts';

const realm = 'Bearer realm="animal-store-admin"';

// RFC 9110, §11.1: the scheme's name is case-insensitive. Wider than RFC 6750's token, because an
// operator chooses this one.
const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** Guesses that one network may make a minute. */
const guesses = { points: 10, duration: 60 } as const;

/**
 * Lets through who brings the admin token.
 *
 * Against guessing, each network has a few wrong tokens a minute, and then gets 429 whatever it
 * brings: if the right one were still let through, the limit would not slow a guesser down.
 */
export function requireAdminToken(adminToken: string): RequestHandler {
  const expected = digest(adminToken);
  const limiter = new RateLimiterMemory(guesses);

  return async function requireAdmin(req, _res, next) {
    const given = req.get('Authorization');
    if (given === undefined) {
      throw unauthorized('Send the admin token as "Authorization: Bearer <ADMIN_TOKEN>".', realm);
    }
    const network = networkOf(req.ip, req.socket);
    // Counted before it is looked at, so that guesses in flight together cannot outrun the count.
    await limiter.consume(network).catch((reason: unknown) => {
      throw reason instanceof RateLimiterRes ? tooManyGuesses(reason.msBeforeNext) : reason;
    });
    const token = bearer.exec(given)?.[1];
    // Hashes have one length and hide how much of a guess was right: the time tells nothing.
    if (token === undefined || !timingSafeEqual(digest(token), expected)) {
      throw unauthorized(adminErrorMessages.unauthorized, `${realm}, error="invalid_token"`);
    }
    await limiter.reward(network);
    next();
  };
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
