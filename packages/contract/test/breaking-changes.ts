import { int64Max, int64Min } from '../src/int64.ts';
import type { JsonObject } from '../src/openapi/index.ts';

// Our own, because no library finds what the test beside it lists. openapi-diff 0.24 reads no OpenAPI 3.1,
// openapi-schema-diff 0.0.1 does not tell what breaks a client, api-smart-diff 1.0 takes an optional header,
// another success and missing security for harmless (tried: 17 of 22 changes judged right). oasdiff and
// openapi-changes are Go programs that have to be downloaded.

/**
 * Lists the changes between two documents that can break a client of the first.
 *
 * Requests: no operation, parameter, value or media type may be removed, and nothing may become
 * required or narrower. Responses: no success, header, member or documented failure may be removed,
 * and nothing may become optional or wider. The responses of an experimental operation may change.
 */
export function breakingChanges(released: JsonObject, next: JsonObject): string[] {
  const found: string[] = [];
  const versions = [new Document(released), new Document(next)] as const;
  const [before, after] = versions;

  for (const [name, old] of before.operations()) {
    const now = after.operations().get(name);
    if (now === undefined) {
      found.push(`${name}: the operation is gone`);
      continue;
    }
    if (old['operationId'] !== now['operationId']) found.push(`${name}: operationId changed`);
    compareParameters(name, before.parameters(old), after.parameters(now));
    compareBody(name, before.resolve(old['requestBody']), after.resolve(now['requestBody']));
    if (old['x-stability'] !== 'experimental') {
      compareResponses(name, before.responses(old), after.responses(now));
    }
    const security = (operation: JsonObject, document: Document) =>
      JSON.stringify(operation['security'] ?? document.root['security']);
    if (security(old, before) !== security(now, after)) found.push(`${name}: security changed`);
    compareSunsets(name, old, now);
  }
  for (const [name, scheme] of Object.entries(before.securitySchemes())) {
    const successor = after.securitySchemes()[name] as JsonObject | undefined;
    for (const keyword of ['type', 'scheme', 'in', 'name']) {
      if ((scheme as JsonObject)[keyword] !== successor?.[keyword]) {
        found.push(`components.securitySchemes.${name}: ${keyword} changed`);
      }
    }
  }
  for (const name of Object.keys(before.schemas())) {
    if (!(name in after.schemas())) found.push(`components.schemas.${name}: the name is gone`);
  }
  return found;

  function compareParameters(at: string, old: Parameters, now: Parameters) {
    for (const [key, parameter] of old) {
      const successor = now.get(key);
      if (successor === undefined) found.push(`${at} ${key}: the parameter is gone`);
      else {
        compareSchemas(`${at} ${key}`, 'sent', parameter['schema'], successor['schema']);
        for (const keyword of ['style', 'explode']) {
          if (parameter[keyword] !== successor[keyword])
            found.push(`${at} ${key}: ${keyword} changed`);
        }
      }
    }
    for (const [key, parameter] of now) {
      if (parameter['required'] === true && old.get(key)?.['required'] !== true) {
        found.push(`${at} ${key}: the parameter became required`);
      }
    }
  }

  /** An operation must not end sooner than was announced. */
  function compareSunsets(at: string, old: JsonObject, now: JsonObject) {
    const [announced, sunset] = [old, now].map(
      (operation) => operation['x-deprecated-sunset'] as string | undefined,
    );
    if (announced !== undefined && sunset !== undefined && sunset < announced) {
      found.push(`${at}: the sunset came nearer`);
    }
  }

  function compareBody(at: string, old: JsonObject | undefined, now: JsonObject | undefined) {
    if (now?.['required'] === true && old?.['required'] !== true) {
      found.push(`${at} body: became required`);
    }
    if (old !== undefined) compareContent(`${at} body`, 'sent', old, now ?? {});
  }

  function compareResponses(at: string, old: Responses, now: Responses) {
    for (const [status, response] of old) {
      const successor = now.get(status);
      if (successor === undefined) {
        found.push(`${at} ${status}: the response is gone`);
        continue;
      }
      const headers = [before.headers(response), after.headers(successor)] as const;
      for (const [name, header] of headers[0]) {
        const heir = headers[1].get(name);
        if (heir === undefined) found.push(`${at} ${status} ${name}: the header is gone`);
        else {
          if (header['required'] === true && heir['required'] !== true) {
            found.push(`${at} ${status} ${name}: the header became optional`);
          }
          compareSchemas(`${at} ${status} ${name}`, 'received', header['schema'], heir['schema']);
        }
      }
      compareContent(`${at} ${status}`, 'received', response, successor);
    }
    for (const status of now.keys()) {
      if (status.startsWith('2') && !old.has(status)) found.push(`${at} ${status}: a new success`);
    }
  }

  function compareContent(at: string, way: Way, old: JsonObject, now: JsonObject) {
    const successors = (now['content'] ?? {}) as Record<string, JsonObject>;
    for (const [type, media] of Object.entries((old['content'] ?? {}) as typeof successors)) {
      const successor = successors[type];
      if (successor === undefined) found.push(`${at}: ${type} is gone`);
      else compareSchemas(at, way, media['schema'], successor['schema']);
    }
  }

  function compareSchemas(at: string, way: Way, oldSchema: unknown, newSchema: unknown) {
    const old = before.resolve(oldSchema) ?? {};
    const now = after.resolve(newSchema) ?? {};
    const say = (what: string) => found.push(`${at}: ${what}`);
    for (const keyword of verbatim) {
      if (JSON.stringify(old[keyword]) !== JSON.stringify(now[keyword])) say(`${keyword} changed`);
    }
    // A receiver must not meet a value that it does not know. A sender must keep every value.
    const [wide, narrow] = way === 'sent' ? [now, old] : [old, now];
    for (const [keyword, order] of bounds) {
      const limit = boundOf(wide, keyword);
      const given = boundOf(narrow, keyword);
      if (limit === undefined) continue;
      // Compared without conversion: a double would round the bounds of int64.
      if (given === undefined || (order > 0 ? given < limit : given > limit)) {
        say(`${keyword} changed`);
      }
    }
    const values = wide['enum'] as unknown[] | undefined;
    if (values !== undefined) {
      const others = narrow['enum'] as unknown[] | undefined;
      if (others === undefined || others.some((value) => !values.includes(value))) {
        say('enum changed');
      }
    }
    const required = (schema: JsonObject) => (schema['required'] ?? []) as string[];
    const [asking, asked] = way === 'sent' ? [now, old] : [old, now];
    for (const name of required(asking)) {
      if (!required(asked).includes(name)) {
        say(`${name} became ${way === 'sent' ? 'required' : 'optional'}`);
      }
    }
    const members = (schema: JsonObject) => (schema['properties'] ?? {}) as JsonObject;
    for (const [name, member] of Object.entries(members(old))) {
      if (!(name in members(now))) say(`${name} is gone`);
      else compareSchemas(`${at}.${name}`, way, member, members(now)[name]);
    }
    if (old['items'] !== undefined) compareSchemas(`${at}[]`, way, old['items'], now['items']);
  }
}

type Way = 'sent' | 'received';
type Parameters = ReadonlyMap<string, JsonObject>;
type Responses = ReadonlyMap<string, JsonObject>;

/**
 * Keywords that must not change at all: which change would be safe is not known. The document does
 * not use all of them, so a new one is found, too.
 */
const verbatim = [
  'type',
  'format',
  'pattern',
  'const',
  'default',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'additionalProperties',
  'propertyNames',
  'dependentRequired',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
] as const;

/** Bounds, with 1 where a greater number accepts less and −1 where a smaller number does. */
const bounds = [
  ['minimum', 1],
  ['minLength', 1],
  ['minItems', 1],
  ['maximum', -1],
  ['maxLength', -1],
  ['maxItems', -1],
] as const;

/** A bound of a schema; that of int64 is in its format. */
function boundOf(schema: JsonObject, keyword: string): number | bigint | undefined {
  const implied: JsonObject =
    schema['format'] === 'int64' ? { minimum: int64Min, maximum: int64Max } : {};
  return (schema[keyword] ?? implied[keyword]) as number | bigint | undefined;
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** A document that resolves its references. */
class Document {
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  resolve(value: unknown): JsonObject | undefined {
    const object = value as JsonObject | undefined;
    const reference = object?.['$ref'];
    if (typeof reference !== 'string') return object;
    const path = reference.replace(/^#\//, '').split('/');
    return path.reduce<JsonObject>((at, name) => at[name] as JsonObject, this.root);
  }

  operations(): Map<string, JsonObject> {
    const paths = this.root['paths'] as Record<string, JsonObject>;
    return new Map(
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([method]) => methods.has(method))
          .map(([method, operation]) => [
            `${method.toUpperCase()} ${path}`,
            operation as JsonObject,
          ]),
      ),
    );
  }

  parameters(operation: JsonObject): Parameters {
    const list = ((operation['parameters'] ?? []) as unknown[]).map((item) => this.resolve(item));
    return new Map(list.map((item = {}) => [`${item['in']} ${item['name']}`, item]));
  }

  responses(operation: JsonObject): Responses {
    return this.#resolved(operation['responses']);
  }

  headers(response: JsonObject): ReadonlyMap<string, JsonObject> {
    return this.#resolved(response['headers']);
  }

  schemas(): JsonObject {
    return (this.root['components'] as JsonObject)['schemas'] as JsonObject;
  }

  securitySchemes(): JsonObject {
    return (this.root['components'] as JsonObject)['securitySchemes'] as JsonObject;
  }

  #resolved(members: unknown): Map<string, JsonObject> {
    return new Map(
      Object.entries((members ?? {}) as JsonObject).map(([name, member]) => [
        name,
        this.resolve(member) ?? {},
      ]),
    );
  }
}
