import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../support/send.ts';
import type { Operation, Schema } from './open-api.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/**
 * Matches the headers that OpenAPI does not describe, because they belong to HTTP itself or to
 * cross-origin requests.
 */
const framing =
  /^(date|connection|keep-alive|transfer-encoding|content-(length|type)|vary|access-control-.*)$/;

/**
 * Returns the differences between a response and the responses that the document describes for the
 * operation. The caller decides whether the status was right for the request, for example whether a
 * 500 was expected.
 */
export function judge(operation: Operation, method: string, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const response = operation.responses[status];
  if (response === undefined) return [`status ${status} is not documented: ${text}`];

  const problems: string[] = [];
  const documented = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  for (const [name, { required, schema }] of Object.entries(response.headers)) {
    const value = headers.get(name);
    if (value !== null) problems.push(...faultsOf(schema, decode(schema, value), `header ${name}`));
    else if (required) problems.push(`header ${name} is missing`);
  }
  for (const name of headers.keys()) {
    const isKnown = documented.has(name) || framing.test(name);
    if (!isKnown) problems.push(`header ${name} is not documented`);
  }

  const type = headers.get('Content-Type');
  if (response.content === undefined)
    return text === '' ? problems : [...problems, `a body that is not documented: ${text}`];
  const media = response.content[String(type).split(';')[0] ?? ''];
  if (media === undefined) problems.push(`content type ${type} is not documented`);
  else if (method !== 'HEAD') {
    const body: unknown = JSON.parse(text);
    problems.push(...faultsOf(media.schema, body, 'body'));
    if (status >= 400 && (body as { status: number }).status !== status)
      problems.push('the status of the body is another');
  }
  return problems;
}

/** Converts the value of a header in the OpenAPI style "simple" to the type of its schema. */
function decode(schema: Schema, value: string): unknown {
  const type = schema['type'];
  if (type === 'integer' && /^-?\d+$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}

const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();

/** Returns the reasons why a schema does not allow a value. */
export function faultsOf(schema: Schema, value: unknown, at: string): string[] {
  const validate =
    compiled.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema, strictly)));
  compiled.set(schema, validate);
  return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: at })];
}

/**
 * Adds `additionalProperties: false` to all objects in a schema. The document allows further
 * properties, so that later versions can add some, but today's responses must have exactly the
 * listed ones.
 */
function strictly(_name: string, member: unknown): unknown {
  const isObject = (member as { type?: unknown } | null)?.type === 'object';
  return isObject ? { additionalProperties: false, ...(member as object) } : member;
}
