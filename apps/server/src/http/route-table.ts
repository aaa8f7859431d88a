import { errorMessages } from '@animal-store/contract';
import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from './http-error.ts';

/** A method and a path. */
export interface Route {
  readonly method: string;
  /** The whole path, such as `/v1/pets/:petId`. A parameter is one segment. */
  readonly path: string;
  /** What logs, metrics and traces call the path. @default the path */
  readonly label?: string;
  /** Headers of all of its responses, errors included, as names and values in turn. */
  readonly headers?: readonly string[];
}

/** The routes of a path. */
export interface RoutedPath {
  readonly label: string;
  readonly pattern: RegExp;
  /** The name of the route of each method. */
  readonly names: ReadonlyMap<string, string>;
}

/** All routes of a listener. Dispatch, 404, 405 and the labels of observers are derived from it. */
export interface RouteTable<Name extends string> {
  /** Notes the route of a request, and sets its headers. It comes early: observers depend on it. */
  find(req: Request, res: Response): void;
  /** Calls the handler of the noted route, or throws the 404 or the 405. */
  dispatch(handlers: Readonly<Record<Name, RequestHandler>>): RequestHandler;
}

export function createRouteTable<Name extends string>(
  routes: Readonly<Record<Name, Route>>,
): RouteTable<Name> {
  const byPath = Map.groupBy(Object.entries<Route>(routes), ([, { path }]) => path);
  const exact = new Map<string, RoutedPath>();
  const patterns: RoutedPath[] = [];
  for (const [path, entries] of byPath) {
    const names = new Map(entries.map(([name, { method }]) => [method, name]));
    const get = names.get('GET');
    // RFC 9110, §9.3.2: HEAD is GET without the content of the response.
    if (get !== undefined) names.set('HEAD', get);
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const routed = { label: entries[0]?.[1].label ?? path, pattern, names };
    if (path.includes(':')) patterns.push(routed);
    else exact.set(path, routed);
  }

  return {
    find(req, res) {
      // The path is matched undecoded: a malformed "%" must be counted like any other request.
      const given = req.path;
      let path = exact.get(given);
      for (const candidate of path === undefined ? patterns : []) {
        const match = candidate.pattern.exec(given);
        if (match === null) continue;
        path = candidate;
        res.locals.rawParams = match.groups;
        break;
      }
      res.locals.path = path;
      const operation = path?.names.get(req.method);
      res.locals.operation = operation;
      const headers = operation === undefined ? undefined : routes[operation as Name].headers;
      if (headers !== undefined) res.locals.headers.push(...headers);
    },
    dispatch: (handlers) =>
      function dispatchRequest(req, res, next) {
        const { path, operation } = res.locals;
        if (path === undefined) throw new HttpError('not_found', 'There is no such path.');
        if (operation === undefined) throw methodNotAllowed([...path.names.keys()]);
        req.params = decode(res.locals.rawParams);
        // Express restores its own parameters before the error mapper runs.
        res.locals.pathParams = req.params;
        return handlers[operation as Name](req, res, next);
      },
  };
}

function methodNotAllowed(methods: readonly string[]): HttpError {
  return new HttpError('method_not_allowed', errorMessages.method_not_allowed(methods), {
    headers: { Allow: methods.join(', ') },
  });
}

function decode(params: Readonly<Record<string, string>> = {}): Record<string, string> {
  const decoded: Record<string, string> = {};
  try {
    for (const name in params) decoded[name] = decodeURIComponent(params[name] as string);
  } catch {
    throw new HttpError('invalid_request', 'path: expected valid percent-encoding of UTF-8');
  }
  return decoded;
}
