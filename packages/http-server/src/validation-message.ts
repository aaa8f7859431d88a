import { maxMessageBytes } from '@animal-store/contract';
import { hideTokens, tokenLengths } from '@animal-store/contract/token-form';
import { escapeUnprintable } from '@animal-store/runtime';
import type { RequestValidationError } from '@ts-rest/express';
import type { Request, Response } from 'express';
import { NumberSource, parseNumberSources } from './exact-numbers.ts';
import './request-locals.ts';

/** The largest number of characters of an invalid value that an error message shows. */
const maxShown = 40;

/**
 * The largest number of faults that one error message describes. A body of 16 kB can have thousands
 * of faults. Describing all of them would block the event loop for milliseconds, although the
 * message is cut at `maxMessageBytes` anyway.
 */
const maxFaults = 10;

/**
 * The length of the longest part of an API key that `hideTokens` does not recognize. When a value
 * is cut, its end may contain such a part. So these characters are removed from the end of a value
 * that was cut.
 */
const maxUnrecognized = tokenLengths.random + tokenLengths.checksum - 1;
const unrecognized = new RegExp(`…?[0-9A-Za-z]{0,${maxUnrecognized}}$`);

/**
 * Returns an error message that lists the faults of a request: the field, what was expected and
 * what was sent. An example is ``status: expected one of available, pending, sold, got "lost"``.
 */
export function validationMessage(
  error: RequestValidationError,
  req: Request,
  res: Response,
): string {
  const faults = [
    ...describe(error.pathParams, pathParamsOf(req)),
    ...describe(error.query, req.query),
    ...describe(error.headers, req.headers).map(capitalizeHeader),
    // The body is parsed a second time only for messages about the body, because only these
    // messages show parts of the body.
    ...(error.body === null ? [] : describe(error.body, sentBody(req, res), 'body')),
  ].slice(0, maxFaults);
  return shorten(faults.join('; '));
}

/**
 * Returns the body with its numbers as the caller wrote them. In `req.body`, numbers are already
 * parsed and may be rounded.
 */
function sentBody(req: Request, res: Response): unknown {
  const { bodyText } = res.locals;
  if (bodyText === undefined) return undefined;
  try {
    return parseNumberSources(bodyText);
  } catch {
    // The body nests too deeply to be parsed again, because less of the stack is free now than when
    // it was first parsed.
    return req.body;
  }
}

/**
 * Returns the parameters of the path. The path is parsed again, because Express deletes
 * `req.params` when an error leaves the route.
 */
function pathParamsOf({ path, tsRestRoute }: Request): Record<string, string> {
  const names = tsRestRoute?.path.split('/') ?? [];
  const values = path.split('/').slice(-names.length);
  const params = names.flatMap((name, place) =>
    name.startsWith(':') ? [[name.slice(1), decodeURIComponent(values[place] ?? '')]] : [],
  );
  return Object.fromEntries(params);
}

function describe(
  error: RequestValidationError['body'],
  input: unknown,
  whole = 'request',
): string[] {
  if (error === null) return [];
  return error.issues.slice(0, maxFaults).map((issue) => {
    const { path = [], message } = issue;
    const keys = path.map((key) => (typeof key === 'object' ? key.key : key));
    // An issue that `misspelt-names.ts` creates contains the misspelt name as `input`. For all
    // other issues, the message shows the value from the request.
    const value = 'input' in issue ? issue.input : valueAt(input, keys);
    return `${keys.join('.') || whole}: ${message}, got ${show(value)}`;
  });
}

/** Capitalizes the name of a header in a fault, because Node uses lower case. */
function capitalizeHeader(fault: string): string {
  return fault.replace(/^[a-z-]+(?=:)/, (name) =>
    name.replaceAll(/\b[a-z]/g, (c) => c.toUpperCase()),
  );
}

function valueAt(input: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const text = textOf(value);
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}

function textOf(value: NonNullable<unknown>): string {
  if (value instanceof NumberSource) return value.source;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? quote(beginningOf(value)) : String(value);
}

/**
 * Returns the beginning of a text without tokens, for an error message. The rest of the text is
 * not processed, because a caller may send 16 kB.
 */
function beginningOf(text: string): string {
  const end = maxShown + maxUnrecognized;
  if (text.length <= end) return hideTokens(text);
  return hideTokens(text.slice(0, end)).replace(unrecognized, '…');
}

/**
 * Quotes a text as JSON. The function escapes invisible characters, with which a caller could make
 * the message look like another message.
 */
function quote(text: string): string {
  return escapeUnprintable(JSON.stringify(text));
}

/** Cuts a message to the maximum length of an error message. */
function shorten(message: string): string {
  if (Buffer.byteLength(message) <= maxMessageBytes) return message;
  const cut = Buffer.from(message)
    .subarray(0, maxMessageBytes - 3)
    .toString();
  // The cut may have split a character of several bytes, so a replacement character at the end is
  // removed.
  return `${cut.replace(/\uFFFD$/, '')}…`;
}
