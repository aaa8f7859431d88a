import { parseJson } from '@animal-store/contract';
import type { CallDetails } from './errors/animal-store-error.ts';
import { createApiError } from './errors/create-api-error.ts';
import type { HttpResponse } from './http-response.ts';
import type { Redact } from './redact.ts';

/** A response, and its body as text. */
export interface Answer {
  response: HttpResponse;
  text: string;
}

/** The expected JSON type of a successful body. `undefined` accepts any JSON, and an empty body. */
export type BodyKind = 'array' | 'object' | undefined;

/**
 * The maximum length of a body in an error, in characters. The error responses of the service are
 * shorter. A longer body, for example an HTML page of a proxy, would fill the logs.
 */
const maxBodyLength = 10_000;

/**
 * The maximum length of a response, in characters. The longest response of the service has 200,000
 * characters. Without a maximum, an endless response of another server fills the memory until the
 * timeout: 6 GB within 30 s in a test.
 */
const maxTextLength = 10_000_000;

/**
 * Reads the body of a response as text.
 *
 * @throws {RangeError} if the body is longer than the maximum.
 */
export async function readText(response: HttpResponse): Promise<string> {
  // In React Native and node-fetch, the body of a response has no `getReader`. The text is then
  // read without a check of its length.
  const reader = (response.body as Partial<ReadableStream<Uint8Array>> | null)?.getReader?.();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    if (done) return text;
    if (text.length > maxTextLength) {
      reader.cancel().catch(() => {});
      throw Object.assign(new RangeError('expected at most 10 MB'), {
        code: 'BODY_TOO_LONG',
      });
    }
  }
}

/**
 * Parses the body of a successful response.
 *
 * @throws {ApiError} if the status is not a success, or if the body is not JSON of the expected
 *   kind. A body of another kind means that a proxy has sent the response.
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
  const isExpected = kind
    ? body instanceof Object && Array.isArray(body) === (kind === 'array')
    : !cause || text === '';
  const { ok, status, statusText } = response;
  if (ok && isExpected) return body;

  // The body of an error may come from a proxy, and may be any JSON. So `code` and `message` may be
  // missing, or not be texts.
  const { code, message } = ok
    ? {
        message: `expected a JSON ${kind ?? 'value'}, got ${describeBody(text, body, response.headers.get('Content-Type'))}`,
      }
    : Object(body);
  const textOf = (value: unknown) => (typeof value === 'string' ? redact(value) : undefined);
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    headers.append(name, redact(value));
  });
  // Browsers hide everything about a redirect that they do not follow. The status is then 0. The
  // message shows the new address without its query, because the query may contain data that does
  // not belong in logs.
  const target = headers.get('Location')?.split(/[?#]/)[0];
  const description =
    status < 400 ? `redirect${target ? ` to ${target}` : ''}: check baseUrl` : statusText;
  const detail = textOf(message) || redact(description || 'failed');
  throw createApiError(
    { status, code: textOf(code), detail, headers, body: redact(text).slice(0, maxBodyLength) },
    call,
    // The error of `JSON.parse` becomes the `cause` only if the status is a success. For a failed
    // response, the status alone explains the error.
    ok ? redact(cause) : undefined,
  );
}

/** Describes an unexpected body for an error message, without its contents. */
function describeBody(text: string, body: unknown, contentType: string | null): string {
  if (!text) return 'an empty body';
  if (body !== undefined) return `JSON ${Array.isArray(body) ? 'array' : body && typeof body}`;
  return /json/i.test(`${contentType}`) ? 'invalid JSON' : `Content-Type ${contentType}`;
}
