import type { JsonObject } from './json-schema.ts';

/** One header of a response, as a document describes it. */
export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonObject;
  readonly example: unknown;
}

/** What a failure means, beside its status. */
export interface Failure<HeaderName extends string> {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /** A message of each code that the status may come with. */
  readonly messages: Readonly<Record<string, string>>;
}

/** What an operation says differently about its failures. */
export type FailureNotes<HeaderName extends string> = Readonly<
  Record<number, Partial<Failure<HeaderName>>>
>;

/** What a document says of responses. */
export interface ResponseVocabulary<HeaderName extends string> {
  /** Every header besides those of HTTP's own framing, by its name among the components. */
  readonly headers: Readonly<Record<HeaderName, Header>>;
  /** Headers whose component has another name, because two operations mean two things by them. */
  readonly wireNames?: { readonly [name in HeaderName]?: string };
  /** What every answer carries. */
  readonly always: readonly HeaderName[];
  readonly failures: Readonly<Record<number, Failure<HeaderName>>>;
}

export type ResponseWriter<HeaderName extends string> = ReturnType<
  typeof createResponseWriter<HeaderName>
>;

/** Writes the responses of operations. */
export function createResponseWriter<HeaderName extends string>(
  vocabulary: ResponseVocabulary<HeaderName>,
) {
  const { headers: components, wireNames = {}, always, failures } = vocabulary;

  /** The headers of a response: its own, and those of every response. */
  function headersOf(own: readonly HeaderName[] = []): JsonObject {
    const wire: { readonly [name in HeaderName]?: string } = wireNames;
    return Object.fromEntries(
      [...own, ...always].map((name) => [
        wire[name] ?? name,
        { $ref: `#/components/headers/${name}` },
      ]),
    );
  }

  function failureOf(status: number, notes: FailureNotes<HeaderName>): Failure<HeaderName> {
    const failure = failures[status];
    if (failure === undefined) throw new TypeError(`Nothing says what ${status} means.`);
    return { ...failure, ...notes[status] };
  }

  return {
    /** The headers, for `components.headers`. */
    components: (): JsonObject => components,

    headers: headersOf,

    /** The success of an operation. */
    success(options: {
      description: string;
      schema: JsonObject;
      example: unknown;
      headers: readonly HeaderName[];
    }): JsonObject {
      const { description, schema, example, headers } = options;
      return {
        description,
        headers: headersOf(headers),
        content: { 'application/json': { schema, example } },
      };
    },

    /**
     * The failures of an operation.
     *
     * @param extra headers that all answers of the operation carry; a 405 is not one of them.
     */
    failures(
      statuses: readonly number[],
      notes: FailureNotes<HeaderName> = {},
      extra: readonly HeaderName[] = [],
    ): JsonObject {
      return Object.fromEntries(
        statuses.map((status) => {
          const { description, headers = [], messages } = failureOf(status, notes);
          const examples = Object.entries(messages).map(([code, message]) => [
            code,
            { value: { code, message, status } },
          ]);
          return [
            String(status),
            {
              description,
              headers: headersOf([...(status === 405 ? [] : extra), ...headers]),
              content: {
                'application/json': {
                  schema: { $ref: '#/components/schemas/Error' },
                  examples: Object.fromEntries(examples),
                },
              },
            },
          ];
        }),
      );
    },
  };
}
