import type { ErrorDescription } from '../error-codes.ts';
import type { JsonObject } from './json-schema.ts';
import { type HeaderName, type ResponseHeader, wireName } from './response-headers.ts';

export type ResponseWriter = ReturnType<typeof createResponseWriter>;

/**
 * The sentence that is added to the description of each 405 response. OpenAPI can describe a 405
 * only as the response of an operation, although it belongs to the path.
 */
const about405 =
  'This operation itself never returns a 405. A request to the path of this operation gets this response if no operation has the method of the request.';

/**
 * Returns the name of the component that describes a header of an error response.
 *
 * Two headers have a second component. `WWW-Authenticate` has other content in a 403 than in a 401,
 * and may be missing in a 403. `Retry-After` is always present in a 429, and may be missing in
 * other responses.
 */
export const componentOf = (status: number) => (name: string) => {
  if (name === 'WWW-Authenticate' && status === 403) return 'ScopeChallenge';
  return name === 'Retry-After' && status !== 429 ? 'RetryLater' : name;
};

/**
 * Creates the functions that describe the responses of operations in the OpenAPI document.
 *
 * @param options.always the headers that every response has.
 * @param options.errorBody a reference to the schema of an error body.
 * @param options.errorCodes the error codes of the API. All codes with the same status describe the
 *   response with that status.
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
    /** Returns the descriptions of all headers, for `components.headers` of the document. */
    components: (): JsonObject => headers,

    success(description: string, own: readonly string[], content?: JsonObject): JsonObject {
      return {
        description,
        headers: headersOf(own),
        ...(content !== undefined && { content: { 'application/json': content } }),
      };
    },

    /**
     * Returns the description of an operation's error response with the given status.
     *
     * @param messages the example messages of this operation, by error code. They replace the
     *   general example messages. A code without any example message is left out.
     * @param own the headers that all responses of the operation have.
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
      if (failures.length === 0)
        throw new TypeError(`No error code has the status ${status}. Add one to errorCodes.`);
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
