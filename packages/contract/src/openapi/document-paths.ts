import { z } from 'zod';
import { errorMessages } from '../error-codes.ts';
import type { ResponseWriter } from './describe-responses.ts';
import { invalidRequestMessage } from './invalid-request-message.ts';
import type { JsonObject, SchemaWriter } from './json-schema.ts';
import type { HeaderName } from './response-headers.ts';

/** An operation of a ts-rest contract. */
interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly metadata: { readonly tag: string };
  readonly pathParams?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  /** A symbol means that there is none. */
  readonly body?: unknown;
  readonly responses: Readonly<Record<number, unknown>>;
}

/** What a document contains about an operation beyond its contract. */
export interface OperationNotes {
  /** Extensions (`x-…`) and other members of the operation. */
  readonly marks?: JsonObject;
  readonly body?: {
    /** Replaces the description of the schema. */
    readonly description?: string;
    /** Several named examples, which replace the one of the schema. */
    readonly examples?: JsonObject;
  };
  /** The description of the success, which replaces the schema's own. */
  readonly description?: string;
  readonly example?: unknown;
  /** Headers of the success only, besides the `Link` of a list with pages. */
  readonly successHeaders?: readonly HeaderName[];
  /** An invalid parameter or body. Its message is the example of the 400. */
  readonly refused?: JsonObject;
  /**
   * Messages that differ from the usual ones, by error code; `undefined` if the operation has no
   * such error.
   */
  readonly messages?: Readonly<Record<string, string | undefined>>;
  /** Headers of all responses of the operation. */
  readonly headers?: readonly HeaderName[];
  /** Code that calls the operation, in Redocly's form. */
  readonly samples?: readonly JsonObject[];
}

/**
 * Writes the paths of a document: every operation of a contract, with its notes. Each operation
 * gets a 405, too, because OpenAPI has no other place for the response to other methods.
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
    if (others.length > 0) throw new TypeError(`${name} has more than one success.`);
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

  /** Returns the methods of a path. A path with GET also supports HEAD. */
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

/** Returns the first example of a schema. */
function exampleOf(schema: z.ZodType): unknown {
  return (schema.meta()?.['examples'] as unknown[] | undefined)?.[0];
}
