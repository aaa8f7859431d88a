import { isIP } from 'node:net';
import {
  adminErrorMessages,
  adminRoutes,
  isKeyId,
  type OperatorRole,
  operatorRoles,
} from '@animal-store/admin-contract';
import type { NextFunction, Request, Response } from 'express';
import { z } from 'zod';
import { malformedPath } from '../http/path-encoding.ts';
import { AdminError } from './admin-error.ts';
import type { Identify } from './authenticate-operator.ts';

/**
 * Creates what admits requests to the operators' listener, or refuses them.
 *
 * @param options.hosts The names that this listener may be called by, besides IP addresses and localhost.
 * @param options.identify Rejects everybody but operators: without authentication a caller learns nothing,
 * not even which paths exist.
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
    /** Admits machines that look after the service, and whoever asks for the files of the console. */
    admitVisitor(req: Request, _res: Response, next: NextFunction): void {
      next(foreignHost(req, names));
    },

    /** Admits operators, if they may do what they ask for. */
    async admitOperator(req: Request, res: Response, next: NextFunction): Promise<void> {
      const foreign = foreignHost(req, names);
      if (foreign !== undefined) return next(foreign);

      const operator = await identify(req);
      res.locals.operator = operator;
      // The document, and what does not exist, are for every operator.
      if (req.tsRestRoute === undefined) return next();

      const refusal =
        missingRole(operator.actor.role, req) ?? malformedPath(req) ?? unknownParameter(req);
      const { keyId } = req.params;
      // It is not validated yet.
      if (refusal === undefined && isKeyId(keyId)) res.locals.keyId = keyId.toLowerCase();
      next(refusal);
    },
  };
}

/**
 * Why a request is refused that names a host other than an IP address, `localhost` or one of those given.
 *
 * Against DNS rebinding: a web page can point a name of its own at this listener, and its scripts
 * may then read the responses. The browser still sends that name as `Host`.
 */
function foreignHost({ headers: { host } }: Request, hosts: ReadonlySet<string>) {
  // HTTP/1.0 needs none. Every browser sends one.
  if (host === undefined) return undefined;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (hosts.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined;
  const message = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
  return new AdminError('invalid_request', message);
}

/** Each role may do what those before it may. */
const rankOf = (role: OperatorRole): number => operatorRoles.indexOf(role);

/** The 403 of an operator whose role is not enough for an operation. */
export function missingRole(
  role: OperatorRole,
  { tsRestRoute }: Pick<Request, 'tsRestRoute'>,
): AdminError | undefined {
  const needed = operatorRoles.find((it) => it === tsRestRoute?.role) ?? 'owner';
  if (rankOf(role) >= rankOf(needed)) return undefined;
  return new AdminError('forbidden', adminErrorMessages.forbidden(needed));
}

export function operationsOf(role: OperatorRole): string[] {
  return Object.entries(adminRoutes)
    .filter(([, route]) => rankOf(role) >= rankOf(route.role))
    .map(([operation]) => operation);
}

/**
 * Why a query is refused that cannot be decoded, or has parameters that the operation does not have. Ignored,
 * a filter that is misspelt, or of another list, would show all that there is.
 */
function unknownParameter(req: Request): AdminError | undefined {
  const [, text = ''] = /\?(.*)/s.exec(req.url) ?? [];
  if (!isDecodable(text)) {
    return new AdminError('invalid_request', 'query: expected percent-encoding of valid UTF-8');
  }
  const query = req.tsRestRoute?.query;
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const isUnknown = Object.keys(req.query).some((name) => !known.includes(name));
  // The name is not repeated: it may be anything, a token too.
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
