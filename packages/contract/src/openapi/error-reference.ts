import { contract } from '../contract.ts';
import { type ErrorCode, errorCodes, errorMessages } from '../error-codes.ts';
import { rateLimitHeaders } from '../rate-limit.ts';
import { componentOf } from './describe-responses.ts';
import { invalidRequestMessage } from './invalid-request-message.ts';
import { responseHeaders } from './response-headers.ts';

/** The description of an error code for the API reference. All texts are Markdown. */
export interface ErrorReference {
  readonly code: ErrorCode;
  readonly status: number;
  readonly when: string;
  readonly causes: readonly string[];
  readonly advice: string;
  /**
   * An example of a response with this code: the body, and the headers that the error always has.
   */
  readonly example: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: { readonly code: ErrorCode; readonly message: string; readonly status: number };
  };
}

/** The example messages for codes whose message depends on the request. */
const messages: Partial<Record<ErrorCode, string>> = {
  invalid_request: invalidRequestMessage(contract.listPets, { limit: '500' }),
  not_found: errorMessages.not_found,
  method_not_allowed: errorMessages.method_not_allowed(['GET', 'HEAD', 'POST']),
};

/**
 * Returns the number of seconds in the sentence `Retry after 30 s.` of a message. The example of
 * `Retry-After` must show the same number.
 */
function secondsIn(message: string): string {
  const [, seconds] = /Retry after (\d+) s\./.exec(message) ?? [];
  if (seconds === undefined)
    throw new TypeError(
      `expected an example message that contains "Retry after … s.", got: ${message}`,
    );
  return seconds;
}

/** Describes every error code of the public API, ordered by status. */
export function describeErrors(): ErrorReference[] {
  return (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { status, when, causes, advice, headers = [], example } = errorCodes[code];
    const message = messages[code] ?? example;
    if (message === undefined)
      throw new TypeError(`${code}: add an example message to errorCodes.`);
    const exampleOf = (name: string) =>
      name === rateLimitHeaders.retryAfter
        ? secondsIn(message)
        : String(
            responseHeaders[componentOf(status)(name) as keyof typeof responseHeaders].example,
          );
    return {
      code,
      status,
      when,
      causes,
      advice,
      example: {
        headers: Object.fromEntries(headers.map((name) => [name, exampleOf(name)])),
        body: { code, message, status },
      },
    };
  });
}
