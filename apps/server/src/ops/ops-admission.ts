import { isIP } from 'node:net';
import { adminErrorMessages, isKeyId } from '@animal-store/admin-contract';
import type { NextFunction, Request, Response } from 'express';
import { z } from 'zod';
import { malformedPath } from '../http/path-encoding.ts';
import { AdminError } from './admin-error.ts';
import type { Identify } from './authenticate-operator.ts';
import { missingRole } from './operator-role.ts';

/**
 * Creates the steps that admit or refuse requests to the operators' listener.
 *
 * @param options.hosts The host names that this listener accepts, besides IP addresses and
 * localhost.
 * @param options.identify Refuses everyone except operators. Without authentication a caller learns
 * nothing, not even which paths exist.
 */
export function createOpsAdmission({
  hosts,
  identify,
}: {
  hosts: readonly string[];
  identify: Identify;
}) {
  const names = new Set(['localhost', ...hosts.map((name) => name.toLowerCase())]);

  return {
    /** Admits monitoring systems, and browsers that load the files of the console. */
    admitVisitor(req: Request, _res: Response, next: NextFunction): void {
      next(foreignHost(req, names));
    },

    /** Admits operators whose role allows the operation. */
    async admitOperator(req: Request, res: Response, next: NextFunction): Promise<void> {
      const foreign = foreignHost(req, names);
      if (foreign !== undefined) return next(foreign);

      const operator = await identify(req);
      res.locals.operator = operator;
      // Every operator may read the OpenAPI document and gets 404 for unknown paths.
      if (req.tsRestRoute === undefined) return next();

      const refusal =
        missingRole(operator.actor.role, req) ?? malformedPath(req) ?? unknownParameter(req);
      const { keyId } = req.params;
      // The parameter is not validated yet.
      if (refusal === undefined && isKeyId(keyId)) res.locals.keyId = keyId.toLowerCase();
      next(refusal);
    },
  };
}

/**
 * Refuses a request whose `Host` is not an IP address, `localhost` or one of the given names.
 *
 * The attack is DNS rebinding: a web page can point a name of its own at this listener, and its
 * scripts may then read the responses. The browser still sends that name as `Host`.
 */
function foreignHost({ headers: { host } }: Request, hosts: ReadonlySet<string>) {
  // HTTP/1.0 does not require a Host. Browsers always send one.
  if (host === undefined) return undefined;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (hosts.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined;
  const message = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
  return new AdminError('invalid_request', message);
}

/**
 * Refuses a query that cannot be decoded or that has parameters unknown to the operation. If a
 * misspelt filter were ignored, the response would contain the whole list.
 */
function unknownParameter(req: Request): AdminError | undefined {
  const [, text = ''] = /\?(.*)/s.exec(req.url) ?? [];
  if (!isDecodable(text)) {
    return new AdminError('invalid_request', 'query: expected percent-encoding of valid UTF-8');
  }
  const query = req.tsRestRoute?.query;
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const isUnknown = Object.keys(req.query).some((name) => !known.includes(name));
  // The message does not repeat the name, because it may be anything, even a token.
  return isUnknown
    ? new AdminError('invalid_request', adminErrorMessages.parameterUnknown(known))
    : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
  } catch {
    return false;
  }
  // Node reads bytes beyond ASCII as Latin-1.
  return !/[^\x21-\x7e]/.test(text);
}
