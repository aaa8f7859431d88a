import { isIP } from 'node:net';
import { adminErrorMessages, isKeyId } from '@animal-store/admin-contract';
import { malformedPath } from '@animal-store/http-server';
import type { NextFunction, Request, Response } from 'express';
import { z } from 'zod';
import { AdminError } from './admin-error.ts';
import type { Identify } from './authenticate-operator.ts';
import { missingRole } from './operator-role.ts';

/**
 * Creates the middleware that admits or refuses requests to the ops listener.
 *
 * @param options.hosts the host names that the listener accepts, in addition to IP addresses and
 * localhost.
 * @param options.identify a function that refuses everyone except operators. A caller without
 * authentication learns nothing, not even which paths exist.
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
    /** Admits everyone to the paths for monitoring systems and to the files of the console. */
    admitVisitor(req: Request, _res: Response, next: NextFunction): void {
      next(foreignHost(req, names));
    },

    /** Admits operators with a role that allows the operation. */
    async admitOperator(req: Request, res: Response, next: NextFunction): Promise<void> {
      const foreign = foreignHost(req, names);
      if (foreign !== undefined) return next(foreign);

      const operator = await identify(req);
      res.locals.operator = operator;
      // A request without a route asks for the OpenAPI document or for an unknown path. Every
      // operator may read the document, and unknown paths get 404 later.
      if (req.tsRestRoute === undefined) return next();

      const refusal =
        missingRole(operator.actor.role, req) ?? malformedPath(req) ?? unknownParameter(req);
      const { keyId } = req.params;
      // The format of the API key's id is checked during admission, because admission runs before
      // the parameters are validated. A text in another format must not be logged as an id.
      if (refusal === undefined && isKeyId(keyId)) res.locals.keyId = keyId.toLowerCase();
      next(refusal);
    },
  };
}

/**
 * Refuses a request whose `Host` header is not an IP address, `localhost` or one of the given
 * names.
 *
 * The check prevents DNS rebinding: an attacker can point a host name at this listener, and scripts
 * of a web page on that host could then read the responses. The browser still sends the attacker's
 * host name in `Host`.
 */
function foreignHost({ headers: { host } }: Request, hosts: ReadonlySet<string>) {
  // Browsers always send a `Host` header. So a request without it comes from an old program
  // (HTTP/1.0) and is accepted.
  if (host === undefined) return undefined;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (hosts.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined;
  const message = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
  return new AdminError('invalid_request', message);
}

/**
 * Refuses a query that cannot be decoded or that has unknown parameters. If a misspelt filter were
 * ignored, the response would contain the whole list.
 */
function unknownParameter(req: Request): AdminError | undefined {
  const [, text = ''] = /\?(.*)/s.exec(req.url) ?? [];
  if (!isDecodable(text)) {
    return new AdminError('invalid_request', 'query: expected percent-encoding of valid UTF-8');
  }
  const query = req.tsRestRoute?.query;
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const isUnknown = Object.keys(req.query).some((name) => !known.includes(name));
  // The error message does not repeat the parameter's name, because the name may be anything, even
  // a token.
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
  // Only printable ASCII is accepted. Node would decode all other bytes as Latin-1, and the query
  // would contain wrong characters.
  return !/[^\x21-\x7e]/.test(text);
}
