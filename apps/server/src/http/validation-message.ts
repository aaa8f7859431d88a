import { maxMessageBytes } from '@animal-store/contract';
import { hideTokens, tokenLengths } from '@animal-store/contract/token-form';
import { escapeUnprintable } from '@animal-store/runtime';
import type { RequestValidationError } from '@ts-rest/express';
import type { Request, Response } from 'express';
import { NumberSource, parseNumberSources } from './exact-numbers.ts';
import './request-locals.ts';

/** How many characters of a value a message shows. */
const maxShown = 40;

/**
 * The most faults that one message describes. A body of 16 kB can have thousands of faults.
 * Describing all of them would take milliseconds of the event loop, although the message is cut at
 * `maxMessageBytes`.
 */
const maxFaults = 10;

/** The longest end of a cut text that may be part of a token without being recognized. */
const maxUnrecognized = tokenLengths.random + tokenLengths.checksum - 1;
const unrecognized = new RegExp(`…?[0-9A-Za-z]{0,${maxUnrecognized}}$`);

/**
 * Describes every fault of a request with its field, what was expected and what was sent, such as
 * ``status: expected one of available, pending, sold, got "lost"``.
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
    // The body is parsed a second time only if it has a fault to show.
    ...(error.body === null ? [] : describe(error.body, sentBody(req, res), 'body')),
  ].slice(0, maxFaults);
  return shorten(faults.join('; '));
}

/**
 * Returns the body with its numbers as they were sent. In `req.body`, numbers are already parsed
 * and may be rounded.
 */
function sentBody(req: Request, res: Response): unknown {
  const { bodyText } = res.locals;
  if (bodyText === undefined) return undefined;
  try {
    return parseNumberSources(bodyText);
  } catch {
    // The body nests so deeply that it could only be parsed the first time, when more of the stack
    // was free.
    return req.body;
  }
}

/**
 * Returns the parameters of the path. They are parsed again, because Express drops them when an
 * error leaves the route.
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
    // Only the issues of `misspelt-names.ts` contain their input; zod's issues do not.
    const given = 'input' in issue ? issue.input : valueAt(input, keys);
    return `${keys.join('.') || whole}: ${message}, got ${show(given)}`;
  });
}

/** Capitalizes the name of a header, which Node has in lower case. */
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
 * Returns the beginning of a text that may be shown, without tokens. The rest is not read, because
 * a caller may send 16 kB.
 */
function beginningOf(text: string): string {
  const end = maxShown + maxUnrecognized;
  if (text.length <= end) return hideTokens(text);
  return hideTokens(text.slice(0, end)).replace(unrecognized, '…');
}

/**
 * Quotes a text as JSON and escapes all characters that could make the message look like another
 * one.
 */
function quote(text: string): string {
  return escapeUnprintable(JSON.stringify(text));
}

/** Cuts a message to the maximum length of an error. */
function shorten(message: string): string {
  if (Buffer.byteLength(message) <= maxMessageBytes) return message;
  const cut = Buffer.from(message)
    .subarray(0, maxMessageBytes - 3)
    .toString();
  // The cut may have split a character.
  return `${cut.replace(/\uFFFD$/, '')}…`;
}
