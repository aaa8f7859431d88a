import type { RequestHandler } from 'express';
import { ApiError } from '../api-error.ts';

/** Refuses the methods that a known path does not have. Stands behind those that it has. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  // HEAD is answered as GET is, without the body (RFC 9110, §9.3.2).
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const list = allowed.join(', ');
  return function refuseOtherMethods() {
    throw new ApiError('method_not_allowed', `method: expected one of ${list}`, {
      headers: { Allow: list },
    });
  };
}
