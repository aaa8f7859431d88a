import type { ErrorDescription } from '../error-codes.ts';
import type { JsonObject } from './json-schema.ts';
import { type HeaderName, type ResponseHeader, wireName } from './response-headers.ts';

export type ResponseWriter = ReturnType<typeof createResponseWriter>;

/** OpenAPI has no other place for the response of a path to methods that it does not have. */
const about405 =
  'This operation itself never returns it: other methods get it on the path of this operation.';

/**
 * Returns the component of a header of an error. The challenge of a 403 differs from a 401's, and
 * is not always present. Only a 429 says for certain when it ends.
 */
export const componentOf = (status: number) => (name: string) => {
  if (name === 'WWW-Authenticate' && status === 403) return 'ScopeChallenge';
  return name === 'Retry-After' && status !== 429 ? 'RetryLater' : name;
};

/**
 * Writes the responses of operations.
 *
 * @param options.always the headers of every response.
 * @param options.errorBody a reference to the schema of an Error body.
 * @param options.errorCodes the codes of the API. The codes with a status document its response.
 * @param options.docsUrlOf returns the address of a code's description, if it has one.
 */
export function createResponseWriter({
  headers,
  always,
  errorBody,
  errorCodes,
  docsUrlOf,
}: {
  headers: { readonly [name in HeaderName]?: ResponseHeader };
  always: readonly HeaderName[];
  errorBody: JsonObject;
  errorCodes: Readonly<Record<string, ErrorDescription>>;
  docsUrlOf?: (code: string) => string;
}) {
  function headersOf(own: readonly string[]): JsonObject {
    return Object.fromEntries(
      [...own, ...always].map((name) => [wireName(name), { $ref: `#/components/headers/${name}` }]),
    );
  }

  return {
    /** The headers, for `components.headers`. */
    components: (): JsonObject => headers,

    success(description: string, own: readonly string[], content?: JsonObject): JsonObject {
      return {
        description,
        headers: headersOf(own),
        ...(content !== undefined && { content: { 'application/json': content } }),
      };
    },

    /**
     * Returns the response of an operation that fails with a status.
     *
     * @param messages example messages of this operation, by code. They replace the general
     *   messages of the codes. If a code has neither, no operation returns it.
     * @param own headers of all responses of the operation.
     */
    failure(
      status: number,
      messages: Readonly<Record<string, string | undefined>>,
      own: readonly string[] = [],
    ): JsonObject {
      const failures = Object.entries(errorCodes).flatMap(([code, description]) => {
        const message = code in messages ? messages[code] : description.example;
        return description.status !== status || message === undefined
          ? []
          : [{ code, message, ...description }];
      });
      if (failures.length === 0) throw new TypeError(`No error code has the status ${status}.`);
      const texts = failures.map(({ code, when, advice }) => {
        const name = docsUrlOf === undefined ? `\`${code}\`` : `[\`${code}\`](${docsUrlOf(code)})`;
        if (failures.length > 1) return `- ${name}: ${when} ${advice}`;
        return docsUrlOf === undefined ? `${when} ${advice}` : `${when} ${advice} See ${name}.`;
      });
      return {
        description: status === 405 ? `${texts[0]} ${about405}` : texts.join('\n'),
        headers: headersOf([
          ...(status === 405 ? [] : own),
          ...new Set(failures.flatMap(({ headers = [] }) => headers.map(componentOf(status)))),
        ]),
        content: {
          'application/json': {
            schema: errorBody,
            examples: Object.fromEntries(
              failures.map(({ code, message }) => [code, { value: { code, message, status } }]),
            ),
          },
        },
      };
    },
  };
}
