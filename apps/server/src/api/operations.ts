import { deprecations, type OperationName, routes } from '@animal-store/contract';

/** The name of an operation: one of the contract's, or the orders, which are not in it yet. */
export type Operation = OperationName | 'listOrders';

interface Route {
  readonly method: string;
  readonly path: string;
}

const table: Record<Operation, Route> = {
  ...routes,
  listOrders: { method: 'GET', path: '/store/orders' },
};

/** A path that exists. */
export interface KnownPath {
  /** Relative to `/v1`, such as `/pets/:petId`. */
  readonly template: string;
  /** Its methods, with the operation that each asks for. */
  readonly methods: ReadonlyMap<string, Operation>;
}

const paths = compile();

/**
 * Finds the path that a request is about, or `undefined` if there is no such path.
 *
 * It compares the path as it came, undecoded, so that a malformed `%` is no different from any other
 * segment: whoever wants its value decodes it later, behind the quota.
 *
 * @param path relative to `/v1`.
 */
export function findPath(path: string): KnownPath | undefined {
  return paths.find(({ pattern }) => pattern.test(path));
}

/** The end of life of an operation, if one is planned. */
export function deprecationOf(operation: Operation | undefined) {
  return operation === 'getPet' ? deprecations[operation] : undefined;
}

function compile() {
  const methodsByPath = new Map<string, Map<string, Operation>>();
  for (const [name, { method, path }] of Object.entries(table)) {
    const methods = methodsByPath.get(path) ?? new Map<string, Operation>();
    methods.set(method, name as Operation);
    // HEAD is answered as GET is, without the body (RFC 9110, §9.3.2).
    if (method === 'GET') methods.set('HEAD', name as Operation);
    methodsByPath.set(path, methods);
  }
  return [...methodsByPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    template: path,
    methods,
  }));
}
