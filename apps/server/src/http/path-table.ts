/** A method and a template of a path, such as `/pets/:petId`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** A path that exists. */
export interface KnownPath<Name> {
  /** Such as `/pets/:petId`. */
  readonly template: string;
  /** Its methods, with the name of the route that each asks for. */
  readonly methods: ReadonlyMap<string, Name>;
}

/**
 * Makes a search for the path that a request is about; it gives `undefined` if there is no such path.
 *
 * It compares the path as it came, undecoded, so that a malformed `%` is no different from any other
 * segment: whoever wants its value decodes it later, behind the quota.
 */
export function createPathTable<Name extends string>(
  routes: Readonly<Record<Name, Route>>,
): (path: string) => KnownPath<Name> | undefined {
  const methodsByPath = new Map<string, Map<string, Name>>();
  for (const [name, { method, path }] of Object.entries<Route>(routes)) {
    const methods = methodsByPath.get(path) ?? new Map<string, Name>();
    methods.set(method, name as Name);
    // HEAD is answered as GET is, without the body (RFC 9110, §9.3.2).
    if (method === 'GET') methods.set('HEAD', name as Name);
    methodsByPath.set(path, methods);
  }
  const paths = [...methodsByPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    template: path,
    methods,
  }));
  return function findPath(path) {
    return paths.find(({ pattern }) => pattern.test(path));
  };
}
