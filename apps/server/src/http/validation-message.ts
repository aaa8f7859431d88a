import { maxMessageBytes } from '@animal-store/contract';
import type { RequestValidationError } from '@ts-rest/express';
import type { Request, Response } from 'express';
import { hideTokens } from '../shared/hide-tokens.ts';
import { parseQuery } from './contract-handlers.ts';

/** How much of a value is shown in a message, in characters. */
const maxShown = 40;

/**
 * Describes every fault of a request with its field, what was expected and what was given, such as ``status: expected one of available, pending, sold, got "lost"``.
 */
export function validationMessage(
  error: RequestValidationError,
  req: Request,
  res: Response,
): string {
  const faults = [
    ...describe(error.pathParams, res.locals.pathParams),
    ...describe(error.query, parseQuery(req.query as unknown as string)),
    ...describe(error.headers, req.headers).map(capitalizeHeader),
    ...describe(error.body, req.body, 'body'),
  ];
  return shorten(faults.join('; '));
}

function describe(
  error: RequestValidationError['body'],
  input: unknown,
  whole = 'request',
): string[] {
  if (error === null) return [];
  return error.issues.map(({ path = [], message }) => {
    const keys = path.map((key) => (typeof key === 'object' ? key.key : key));
    return `${keys.join('.') || whole}: ${message}, got ${show(valueAt(input, keys))}`;
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
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'string' ? quote(hideTokens(value)) : String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}

/** Quotes a text as JSON, and also escapes DEL and the C1 control characters. */
function quote(text: string): string {
  const escaped = (control: string) => `\\u00${control.charCodeAt(0).toString(16)}`;
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f]/g, escaped);
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
