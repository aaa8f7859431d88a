import { errorMessages } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/** The answer to a method that a known path does not have, given those that it has. */
export function methodNotAllowed(methods: Iterable<string>): ApiError {
  // HEAD is answered as GET is, without the body (RFC 9110, §9.3.2).
  const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const list = [...new Set(allowed)];
  return new ApiError('method_not_allowed', errorMessages.method_not_allowed(list), {
    headers: { Allow: list.join(', ') },
  });
}

/** Refuses the methods that a known path does not have. Stands behind those that it has. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  return function refuseOtherMethods() {
    throw methodNotAllowed(methods);
  };
}
