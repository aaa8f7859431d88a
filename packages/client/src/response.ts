import { parseJson } from '@animal-store/contract';
import type { CallDetails } from './errors/animal-store-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import type { HttpResponse } from './http-response.ts';
import type { Redact } from './redact.ts';

/** A response whose body has been read to its end. */
export interface Answer {
  response: HttpResponse;
  text: string;
}

/** The expected kind of a success's body; `undefined` for any JSON, or an empty body. */
export type BodyKind = 'array' | 'object' | undefined;

/** How much of a body an error keeps: more than the service sends, and not too much for a log. */
const maxBodyLength = 10_000;

/**
 * Reads the body of a success.
 *
 * @throws {ApiError} if the response is a failure, or a success whose body is not JSON of this
 *   kind, because then the service has not sent it.
 */
export function readBody(
  { response, text }: Answer,
  kind: BodyKind,
  { redact, call }: { redact: Redact; call: CallDetails },
): unknown {
  let body: unknown;
  let cause: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    cause = error;
  }
  // Without a kind, any JSON or an empty body is accepted.
  const isExpected = kind
    ? body instanceof Object && Array.isArray(body) === (kind === 'array')
    : !cause || text === '';
  const { ok, status, statusText } = response;
  if (ok && isExpected) return body;

  // A proxy may send any JSON.
  const { code, message } = ok
    ? {
        message: `expected a JSON ${kind ?? 'value'}, got Content-Type ${response.headers.get('Content-Type')}`,
      }
    : Object(body);
  const textOf = (value: unknown) => (typeof value === 'string' ? redact(value) : undefined);
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    headers.append(name, redact(value));
  });
  // Browsers hide everything about a redirect that they do not follow: its status is 0.
  const description = status < 400 ? 'redirect: is baseUrl right?' : statusText;
  const detail = textOf(message) || redact(description || 'failed');
  throw createApiError(
    { status, code: textOf(code), detail, headers, body: redact(text).slice(0, maxBodyLength) },
    call,
    // For a failed response, an invalid body is not the cause.
    ok ? redact(cause) : undefined,
  );
}
