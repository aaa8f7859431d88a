import type { ApiError } from './errors/api-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import { parseJson } from './exact-json.ts';
import type { Redact } from './redact.ts';

/** A response whose body has been read to its end. */
export interface Answer {
  response: Response;
  text: string;
}

/**
 * Reads the body of a success.
 *
 * @throws {ApiError} if it is not JSON of this kind: what answered is not the service.
 */
export function readJson(
  { response, text }: Answer,
  kind: 'array' | 'object',
  redact: Redact,
): unknown {
  const body = tryParseJson(text);
  if (body instanceof Object && Array.isArray(body) === (kind === 'array')) return body;
  throw createError(response, redact, {
    code: undefined,
    message: `expected a JSON ${kind}, got ${response.headers.get('Content-Type') ?? 'no content type'} (${describe(response)})`,
  });
}

/** Reads the answer to a request that failed, whoever it was that answered. */
export function readError({ response, text }: Answer, redact: Redact): ApiError {
  const { code, message } = (tryParseJson(text) ?? {}) as Record<string, unknown>;
  return createError(response, redact, {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' && message !== '' ? message : describe(response),
  });
}

function createError(
  { status, headers }: Response,
  redact: Redact,
  { code, message }: { code: string | undefined; message: string },
): ApiError {
  return createApiError({
    status,
    code: code && redact.text(code),
    message: redact.text(message),
    headers: new Headers([...headers].map(([name, value]) => [name, redact.text(value)])),
  });
}

/** JSON is never `undefined`, so that is what a text that is no JSON gives. */
function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function describe({ status, statusText, type }: Response): string {
  // Browsers hide everything about a redirect that they were told not to follow.
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
    ? `unexpected redirect (HTTP ${status}): is baseUrl right?`
    : `HTTP ${status} ${statusText}`.trimEnd();
}
