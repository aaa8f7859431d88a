import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { HttpError } from '../http/http-error.ts';

/**
 * Refuses requests that name a host other than an IP address, `localhost` or one of those given.
 *
 * Against DNS rebinding: a web page can point a name of its own at this listener, and its scripts
 * may then read the responses. The browser still sends that name as `Host`.
 */
export function allowHosts(names: readonly string[]): RequestHandler {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return function refuseOtherHosts(req, _res, next) {
    const { host } = req.headers;
    // HTTP/1.0 needs none. Every browser sends one.
    if (host === undefined) return next();
    const name = host.replace(/:\d*$/, '').toLowerCase();
    if (allowed.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return next();
    const message = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
    next(new HttpError('invalid_request', message));
  };
}
