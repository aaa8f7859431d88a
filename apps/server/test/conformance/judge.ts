import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../support/send.ts';
import type { Operation, Schema } from './open-api.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/** What HTTP itself sends, and what only cross-origin requests get; OpenAPI has no place for it. */
const framing =
  /^(date|connection|keep-alive|transfer-encoding|content-(length|type)|vary|access-control-.*)$/;

/**
 * Says in which ways an answer is not one that the document promises for the operation. Whether its
 * request deserves it, a 500 above all, is for the caller to say.
 */
export function judge(operation: Operation, method: string, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const response = operation.responses[status];
  if (response === undefined) return [`status ${status} is not documented: ${text}`];

  const problems: string[] = [];
  const documented = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  for (const [name, { required, schema }] of Object.entries(response.headers)) {
    const value = headers.get(name);
    if (value === null) {
      if (required) problems.push(`header ${name} is missing`);
    } else problems.push(...faultsOf(schema, decode(schema, value), `header ${name}`));
  }
  for (const name of headers.keys()) {
    if (!documented.has(name) && !framing.test(name)) {
      problems.push(`header ${name} is not documented`);
    }
  }

  const type = headers.get('Content-Type');
  if (response.content === undefined) {
    if (text !== '') problems.push(`a body that is not documented: ${text}`);
    return problems;
  }
  const media = response.content[String(type).split(';')[0] ?? ''];
  if (media === undefined) problems.push(`content type ${type} is not documented`);
  else if (method !== 'HEAD') {
    const body: unknown = type?.startsWith('text/csv') ? text : JSON.parse(text);
    problems.push(...faultsOf(closed(media.schema), body, 'body'));
    if (status >= 400 && (body as { status: number }).status !== status) {
      problems.push('the status of the body is another');
    }
  }
  return problems;
}

/** A header's value in the "simple" style: as the type that its schema names. */
function decode(schema: Schema, value: string): unknown {
  switch (schema['type']) {
    case 'integer':
      return /^-?\d+$/.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    default:
      return value;
  }
}

const closedSchemas = new Map<Schema, Schema>();

/** The document lets bodies grow; today's have exactly the members that it names, all the way down. */
function closed(schema: Schema): Schema {
  let found = closedSchemas.get(schema);
  if (found === undefined) {
    found = closeAll(schema) as Schema;
    closedSchemas.set(schema, found);
  }
  return found;
}

function closeAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeAll);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, closeAll(member)]),
  );
  return own['type'] === 'object' ? { additionalProperties: false, ...own } : own;
}

const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();

/** Says in which ways a value is not one that a schema allows. */
export function faultsOf(schema: Schema, value: unknown, at: string): string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(withDoubles(schema) as Schema);
    compiled.set(schema, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${at}${instancePath} ${message}: ${JSON.stringify(params)}`,
      );
}

/** Ajv compares doubles. */
function withDoubles(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? Number(member) : member,
    ),
  );
}
