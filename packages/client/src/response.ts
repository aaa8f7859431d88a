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

/** What the body of a success must be; `undefined` for any JSON, or nothing at all. */
export type BodyKind = 'array' | 'object' | undefined;

/** How much of a body an error keeps: more than the service sends, and not too much for a log. */
const maxBodyLength = 10_000;

/**
 * Reads the body of a success.
 *
 * @throws {ApiError} if it is a failure, whoever it was that answered, or a success whose body is not
 * JSON of this kind: what answered is not the service.
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
  // Without a kind, anything will do that is JSON, or nothing at all.
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
  // Browsers hide everything about a redirect that they were told not to follow: its status is 0.
  const description = status < 400 ? 'redirect: is baseUrl right?' : statusText;
  const detail = textOf(message) || redact(description || 'failed');
  throw createApiError(
    { status, code: textOf(code), detail, headers, body: redact(text).slice(0, maxBodyLength) },
    call,
    // Of a failure, the body is no cause.
    ok ? redact(cause) : undefined,
  );
}
