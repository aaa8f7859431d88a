import { z } from 'zod';
import { errorMessages } from '../error-codes.ts';
import type { ResponseWriter } from './describe-responses.ts';
import { invalidRequestMessage } from './invalid-request-message.ts';
import type { JsonObject, SchemaWriter } from './json-schema.ts';
import type { HeaderName } from './response-headers.ts';

/** An operation in a ts-rest contract. */
interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly metadata: { readonly tag: string };
  readonly pathParams?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  /** The schema of the body. If the operation has no body, ts-rest uses a symbol instead. */
  readonly body?: unknown;
  readonly responses: Readonly<Record<number, unknown>>;
}

/** The parts of an operation's description that its contract does not contain. */
export interface OperationNotes {
  /** Extensions (`x-…`) and other properties of the operation object. */
  readonly marks?: JsonObject;
  readonly body?: {
    /** The description of the body, instead of the schema's description. */
    readonly description?: string;
    /** Several named examples of the body, instead of the schema's example. */
    readonly examples?: JsonObject;
  };
  /** The description of the successful response, instead of the schema's description. */
  readonly description?: string;
  readonly example?: unknown;
  /** The headers of the successful response, besides the `Link` header of a list with pages. */
  readonly successHeaders?: readonly HeaderName[];
  /**
   * An invalid parameter or body. The contract's message for this value becomes the example of the
   * 400.
   */
  readonly refused?: JsonObject;
  /**
   * The example messages of this operation that differ from the general ones, by error code. A code
   * with the value `undefined` is left out, because the operation never returns it.
   */
  readonly messages?: Readonly<Record<string, string | undefined>>;
  /** The headers that all responses of the operation have. */
  readonly headers?: readonly HeaderName[];
  /** Code samples that call the operation, in Redocly's form. */
  readonly samples?: readonly JsonObject[];
}

/**
 * Creates the `paths` of an OpenAPI document: every operation of a contract, with the parts of its
 * description that the contract does not contain. Each operation also lists the 405 of its path,
 * because OpenAPI cannot describe responses of a path.
 */
export function createPaths<Name extends string>({
  contract,
  notes,
  schemas,
  responses,
}: {
  contract: Readonly<Record<Name, ContractRoute>>;
  notes: Readonly<Record<Name, OperationNotes>>;
  schemas: SchemaWriter;
  responses: ResponseWriter;
}): Record<string, JsonObject> {
  function operationOf(name: Name): JsonObject {
    const route = contract[name];
    const { marks, samples } = notes[name];
    const statuses = Object.keys(route.responses).map(Number);
    const [succeeds, ...others] = statuses.filter((status) => status < 300);
    if (others.length > 0)
      throw new TypeError(`${name}: the contract has several statuses below 300. Keep only one.`);
    const parameters = parametersOf(route);
    return {
      operationId: name,
      tags: [route.metadata.tag],
      summary: route.summary,
      description: route.description,
      ...marks,
      ...(parameters.length > 0 && { parameters }),
      ...(typeof route.body === 'object' && { requestBody: bodyOf(name) }),
      responses: {
        ...(succeeds !== undefined && successOf(name, succeeds)),
        ...failuresOf(name, [...statuses.filter((status) => status >= 400), 405]),
      },
      ...(samples !== undefined && { 'x-codeSamples': samples }),
    };
  }

  function successOf(name: Name, status: number): JsonObject {
    const schema = contract[name].responses[status] as z.ZodType;
    const { headers = [], successHeaders = [], description, example } = notes[name];
    const own = [...(isPaged(contract[name]) ? ['Link'] : []), ...successHeaders, ...headers];
    const content = { schema: schemas.write(schema), example: example ?? exampleOf(schema) };
    return { [status]: responses.success(description ?? schema.description ?? '', own, content) };
  }

  function parametersOf({ pathParams, query, headers }: ContractRoute): JsonObject[] {
    return [
      ...(pathParams === undefined ? [] : schemas.parameters('path', pathParams as z.ZodType)),
      ...(query === undefined ? [] : schemas.parameters('query', query as z.ZodType)),
      ...(headers === undefined ? [] : schemas.parameters('header', headers as z.ZodType)),
    ];
  }

  function bodyOf(name: Name): JsonObject {
    const schema = contract[name].body as z.ZodType;
    const { description = schema.description, examples } = notes[name].body ?? {};
    return {
      required: !schema.safeParse(undefined).success,
      description,
      content: {
        'application/json': {
          schema: schemas.write(schema),
          ...(examples === undefined ? { example: exampleOf(schema) } : { examples }),
        },
      },
    };
  }

  function failuresOf(name: Name, statuses: readonly number[]): JsonObject {
    const { path, body } = contract[name];
    const { refused, messages, headers } = notes[name];
    const all = {
      ...(refused !== undefined && {
        invalid_request: invalidRequestMessage(contract[name], refused),
      }),
      ...(typeof body !== 'object' && { invalid_json: undefined }),
      method_not_allowed: errorMessages.method_not_allowed(methodsOf(path)),
      ...messages,
    };
    return Object.fromEntries(
      statuses.map((status) => [String(status), responses.failure(status, all, headers)]),
    );
  }

  /** Returns the HTTP methods that a path supports. A path with GET also supports HEAD. */
  function methodsOf(path: string): string[] {
    return Object.values<ContractRoute>(contract)
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  }

  const paths: Record<string, JsonObject> = {};
  for (const name of Object.keys(contract) as Name[]) {
    const { path, method } = contract[name];
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(name) };
  }
  return paths;
}

const isPaged = ({ query }: ContractRoute): boolean =>
  query instanceof z.ZodObject && 'cursor' in query.shape;

/** Returns the first example of a schema, or `undefined` if the schema has no example. */
function exampleOf(schema: z.ZodType): unknown {
  return (schema.meta()?.['examples'] as unknown[] | undefined)?.[0];
}
