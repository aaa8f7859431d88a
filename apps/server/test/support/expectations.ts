import { type ErrorCode, errorCodes } from '@animal-store/contract';
import { expect } from 'vitest';
import type { Answer } from './send.ts';

const wholeNumber = /^\d{1,15}$/;

/** Expects the headers that every response under `/v1` must have. */
export function expectResponseHeaders({ headers }: Answer): void {
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
    expect(headers.get(name), name).toMatch(wholeNumber);
  }
  expect(headers.get('X-Request-Id')).toMatch(/^[\w.:-]{1,128}$/);
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
}

/**
 * Expects an error response with the given status, code and message, and the headers and body of
 * all errors.
 */
export function expectError(answer: Answer, status: number, code: string, message = /./): void {
  expect(answer.body, answer.text).toEqual({
    code,
    message: expect.stringMatching(message),
    status,
  });
  expectErrorBody(answer);
  expectResponseHeaders(answer);
}

/**
 * Expects that an error response has a body with exactly `code`, `message` and `status`, and the
 * headers that belong to its code.
 */
export function expectErrorBody({ status, headers, body }: Answer): void {
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(body).toStrictEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/^[^\p{Cc}]+$/u),
    status,
  });
  const { code, message } = body as { code: ErrorCode; message: string };
  for (const name of errorCodes[code].headers ?? []) expect(headers.has(name), name).toBe(true);
  const [, seconds = null] = /Retry after (\d+) s/.exec(message) ?? [];
  expect(headers.get('Retry-After')).toBe(seconds);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
}

/** Returns the three rate-limit numbers that every response contains. */
export function rateLimitOf({ headers }: Answer) {
  const number = (name: string) => Number(headers.get(name) ?? Number.NaN);
  return {
    limit: number('X-RateLimit-Limit'),
    remaining: number('X-RateLimit-Remaining'),
    reset: number('X-RateLimit-Reset'),
  };
}

/**
 * Returns the number of requests that are left in a window, from the header `RateLimit` (IETF draft
 * 10).
 */
export function leftOf({ headers }: Answer, window: 'minute' | 'day'): number {
  const [, left] = new RegExp(`"${window}";r=(\\d+);`).exec(headers.get('RateLimit') ?? '') ?? [];
  return Number(left);
}
