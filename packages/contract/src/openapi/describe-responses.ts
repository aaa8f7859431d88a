import type { ErrorDescription } from '../error-codes.ts';
import type { JsonObject } from './json-schema.ts';
import { type HeaderName, type ResponseHeader, wireName } from './response-headers.ts';

export type ResponseWriter = ReturnType<typeof createResponseWriter>;

/** OpenAPI has no other place for what a path answers to methods that it does not have. */
const about405 =
  'This operation itself never answers it: other methods get it on the path of this operation.';

/**
 * The component of a header that comes with an error. A 403 challenges otherwise than a 401, and not always.
 * Only of a 429 is it certain when it ends.
 */
export const componentOf = (status: number) => (name: string) => {
  if (name === 'WWW-Authenticate' && status === 403) return 'ScopeChallenge';
  return name === 'Retry-After' && status !== 429 ? 'RetryLater' : name;
};

/**
 * Writes the responses of operations.
 *
 * @param options.always the headers that every response carries.
 * @param options.errorBody a reference to the schema of an Error body.
 * @param options.errorCodes the codes of the API: those with a status document its response.
 * @param options.docsUrlOf says where a code is described at length, if it is.
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
     * What an operation answers when it fails with a status.
     *
     * @param messages example messages of this operation, by code; they replace those of the codes.
     * A code that has none of either is never answered by an operation.
     * @param own headers that all responses of the operation carry.
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
