/** A JSON Schema in an OpenAPI document, without references. */
export type Schema = { readonly [keyword: string]: unknown };

type Described = { readonly required?: boolean; readonly schema: Schema };

export type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly (Described & { name: string; in: 'query' | 'path' | 'header' })[];
  readonly body: Schema | undefined;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers: Readonly<Record<string, Described>>;
        readonly content?: Readonly<Record<string, Described>>;
      }
    >
  >;
};

type Members = Record<string, unknown>;

/** Returns the operations of an OpenAPI document. */
export function operationsOf(document: unknown): Operation[] {
  // All references to the same target become the same object. The function `judge` then compiles
  // its schema only once.
  const resolved = new Map<string, unknown>();
  function resolveAll(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolveAll);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Members & { $ref?: string };
    const own = Object.fromEntries(
      Object.entries(rest).map(([name, member]) => [name, resolveAll(member)]),
    );
    if ($ref === undefined) return own;
    if (!resolved.has($ref)) {
      const names = $ref.slice('#/'.length).split('/');
      const found = names.reduce<unknown>((at, name) => (at as Members)[name], document);
      resolved.set($ref, resolveAll(found));
    }
    const target = resolved.get($ref);
    return Object.keys(own).length === 0 ? target : { ...(target as Members), ...own };
  }

  const { paths } = resolveAll(document) as { paths: Record<string, Members> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, member]) => {
      const {
        requestBody,
        parameters = [],
        ...operation
      } = member as Operation & {
        requestBody?: { content: Record<string, Described> };
      };
      const body = requestBody?.content['application/json']?.schema;
      return { ...operation, method: method.toUpperCase(), path, parameters, body };
    }),
  );
}
