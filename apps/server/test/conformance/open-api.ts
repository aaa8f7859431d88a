/** As much of an OpenAPI document as the checks read; references are resolved. */
export type Schema = { readonly [keyword: string]: unknown };

export type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
};

type ResponseSpec = {
  readonly headers: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: Schema }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
};

export type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: Readonly<Record<string, ResponseSpec>>;
};

type Members = Record<string, unknown>;

/** Reads the operations of a document, by nothing but the OpenAPI specification. */
export function operationsOf(document: unknown): Operation[] {
  const { paths } = resolveAll(document, document, new Map()) as {
    paths: Record<string, Members>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, member]) => {
      const operation = member as Members & {
        operationId: string;
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses: Operation['responses'];
      };
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json']?.schema,
        responses: operation.responses,
      };
    }),
  );
}

/** References to one target become one object, so that `judge` compiles its schema once. */
function resolveAll(value: unknown, root: unknown, resolved: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveAll(item, root, resolved));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Members & { $ref?: string };
  const own = Object.fromEntries(
    Object.entries(rest).map(([name, member]) => [name, resolveAll(member, root, resolved)]),
  );
  if ($ref === undefined) return own;
  let target = resolved.get($ref);
  if (target === undefined) {
    const names = $ref.slice('#/'.length).split('/');
    const found = names.reduce<unknown>((at, name) => (at as Members)[name], root);
    target = resolveAll(found, root, resolved);
    resolved.set($ref, target);
  }
  return Object.keys(own).length === 0 ? target : { ...(target as Members), ...own };
}
