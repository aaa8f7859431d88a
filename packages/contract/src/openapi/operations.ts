import type { z } from 'zod';
import type { JsonObject, SchemaWriter } from './json-schema.ts';
import type { FailureNotes, ResponseWriter } from './responses.ts';

/** An operation as a contract has it. */
interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly pathParams?: unknown;
  readonly query?: unknown;
  /** A symbol stands for none. */
  readonly body?: unknown;
  readonly responses: Readonly<Record<number, unknown>>;
}

/** What a document says of an operation that its contract does not. */
export interface OperationNotes<HeaderName extends string> {
  readonly tag: string;
  readonly description: string;
  /** Members of the operation that belong to no specification but ours. */
  readonly marks?: JsonObject;
  /** Parameters besides those of the path and of the query. */
  readonly parameters?: readonly JsonObject[];
  readonly body?: {
    readonly description: string;
    /** Whether it must be there. @default true */
    readonly required?: boolean;
    /** One example, or several by their names. */
    readonly example?: unknown;
    readonly examples?: JsonObject;
  };
  readonly success: {
    readonly description: string;
    readonly example: unknown;
    readonly headers?: readonly HeaderName[];
  };
  readonly failures?: FailureNotes<HeaderName>;
  /** Headers that all answers of the operation carry. */
  readonly headers?: readonly HeaderName[];
  /** Code that calls the operation, as Redocly and Scalar read it. */
  readonly samples?: readonly JsonObject[];
}

/** Describes a parameter of a path or of a query, by its name. */
export type ParameterNotes = Readonly<Record<string, { description: string; example?: unknown }>>;

/**
 * Writes the paths of a document: every operation of a contract, with what the notes add to it.
 *
 * Each gets a 405, too: OpenAPI has no other place for what a path answers to other methods.
 */
export function createPaths<Name extends string, HeaderName extends string>(options: {
  contract: Readonly<Record<Name, ContractRoute>>;
  notes: Readonly<Record<Name, OperationNotes<HeaderName>>>;
  parameters: ParameterNotes;
  schemas: SchemaWriter;
  responses: ResponseWriter<HeaderName>;
}): Record<string, JsonObject> {
  const { contract, notes, parameters, schemas, responses } = options;

  const parametersOf = (place: 'path' | 'query', schema: unknown): JsonObject[] =>
    schema === undefined
      ? []
      : schemas.members(schema as z.core.$ZodType).map(({ name, required, schema }) => ({
          name,
          in: place,
          required,
          ...parameters[name],
          schema,
        }));

  function operationOf(name: Name): JsonObject {
    const route = contract[name];
    const { tag, description, marks, body, success, failures, headers, samples } = notes[name];
    const statuses = Object.keys(route.responses).map(Number);
    const [succeeds = 0, ...others] = statuses.filter((status) => status < 300);
    if (succeeds === 0 || others.length > 0) throw new TypeError(`${name} needs one success.`);
    if ((typeof route.body === 'object') !== (body !== undefined)) {
      throw new TypeError(`${name} and its notes differ in whether it has a body.`);
    }
    const all = [
      ...parametersOf('path', route.pathParams),
      ...parametersOf('query', route.query),
      ...(notes[name].parameters ?? []),
    ];
    return {
      operationId: name,
      tags: [tag],
      summary: route.summary,
      description,
      ...marks,
      ...(all.length > 0 && { parameters: all }),
      ...(body !== undefined && { requestBody: bodyOf(route, body) }),
      responses: {
        [succeeds]: responses.success({
          ...success,
          schema: schemas.refer(route.responses[succeeds] as z.core.$ZodType),
          headers: [...(success.headers ?? []), ...(headers ?? [])],
        }),
        ...responses.failures(
          [...statuses.filter((status) => status >= 400), 405],
          failures,
          headers,
        ),
      },
      ...(samples !== undefined && { 'x-codeSamples': samples }),
    };
  }

  function bodyOf(
    { body }: ContractRoute,
    { description, required = true, ...examples }: NonNullable<OperationNotes<HeaderName>['body']>,
  ): JsonObject {
    return {
      required,
      description,
      content: {
        'application/json': { schema: schemas.refer(body as z.core.$ZodType), ...examples },
      },
    };
  }

  const paths: Record<string, JsonObject> = {};
  for (const name of Object.keys(contract) as Name[]) {
    const { path, method } = contract[name];
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(name) };
  }
  return paths;
}
