import { parseJson } from '@animal-store/contract';
import type { CallDetails } from './errors/animal-store-error.ts';
import type { ApiError } from './errors/api-error.ts';
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
 * @throws {ApiError} if it is not JSON of this kind: what answered is not the service.
 */
export function readJson(
  { response, text }: Answer,
  kind: BodyKind,
  errorOptions: { redact: Redact; call: CallDetails },
): unknown {
  const body = tryParseJson(text);
  // Without a kind, anything will do that is JSON, or nothing at all.
  const isExpected = kind
    ? body instanceof Object && Array.isArray(body) === (kind === 'array')
    : body !== undefined || text === '';
  if (isExpected) return body;
  const type = response.headers.get('Content-Type') ?? 'no content type';
  const detail = `expected a JSON ${kind ?? 'value'}, got ${type}`;
  throw createError(response, { code: undefined, detail }, errorOptions);
}

/** Reads the answer to a request that failed, whoever it was that answered. */
export function readError(
  { response, text }: Answer,
  errorOptions: { redact: Redact; call: CallDetails },
): ApiError {
  const { code, message } = (tryParseJson(text) ?? {}) as Record<string, unknown>;
  // A proxy may send any JSON.
  const detail = (typeof message === 'string' && message) || describe(response);
  return createError(
    response,
    { code: typeof code === 'string' ? code : undefined, detail },
    errorOptions,
  );
}

function createError(
  response: HttpResponse,
  { code, detail }: { code: string | undefined; detail: string },
  { redact, call }: { redact: Redact; call: CallDetails },
): ApiError {
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    headers.append(name, redact.text(value));
  });
  const { status } = response;
  return createApiError(
    { status, code: code && redact.text(code), detail: redact.text(detail), headers },
    call,
  );
}

/** JSON is never `undefined`, so that is what a text that is no JSON gives. */
function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function describe({ status, statusText, type }: HttpResponse): string {
  // Browsers hide everything about a redirect that they were told not to follow.
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
    ? 'unexpected redirect: is baseUrl right?'
    : statusText || 'no description';
}
