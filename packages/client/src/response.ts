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
  const body = tryParseJson(text);
  // Without a kind, anything will do that is JSON, or nothing at all.
  const isExpected = kind
    ? body instanceof Object && Array.isArray(body) === (kind === 'array')
    : body !== undefined || text === '';
  const { ok, status } = response;
  if (ok && isExpected) return body;

  const type = response.headers.get('Content-Type') ?? 'no content type';
  // A proxy may send any JSON.
  const { code, message } = ok
    ? { message: `expected a JSON ${kind ?? 'value'}, got ${type}` }
    : Object(body);
  const textOf = (value: unknown) => (typeof value === 'string' ? redact(value) : undefined);
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    headers.append(name, redact(value));
  });
  const detail = textOf(message) || redact(describe(response));
  throw createApiError({ status, code: textOf(code), detail, headers }, call);
}

/** JSON is never `undefined`, so that is what a text that is no JSON gives. */
function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Browsers hide everything about a redirect that they were told not to follow: its status is 0. */
function describe({ status, statusText }: HttpResponse): string {
  return status < 400 ? 'redirect: is baseUrl right?' : statusText || 'no description';
}
