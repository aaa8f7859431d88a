import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../src/error-codes.ts';
import { parseJson } from '../src/exact-json.ts';
import { int64Max } from '../src/int64.ts';
import type { JsonObject } from '../src/openapi/index.ts';
import { breakingChanges } from './breaking-changes.ts';
import { publicDocument, releasedFile } from './openapi-documents.ts';

const readReleased = () => parseJson(readFileSync(releasedFile, 'utf8')) as JsonObject;

test('nothing that the last release promised is missing', () => {
  // Its description always promised new values. Generated clients refused them, as the list was closed.
  const opened = ['GET /pets 200[]', 'POST /pets 201', 'GET /pets/{petId} 200'].flatMap((at) =>
    ['type', 'anyOf', 'enum'].map((keyword) => `${at}.status: ${keyword} changed`),
  );
  const found = breakingChanges(readReleased(), parseJson(publicDocument.text) as JsonObject);
  expect(found).toEqual(opened);
});

test('operations in beta are compared, too', () => {
  const current = parseJson(publicDocument.text) as JsonObject;
  const next = structuredClone(current) as {
    components: { schemas: { RateLimitStatus: { properties: JsonObject } } };
  };
  delete next.components.schemas.RateLimitStatus.properties['bannedUntil'];
  expect(breakingChanges(current, next)).toEqual(['GET /rate-limit 200: bannedUntil is gone']);
});

test('the responses of an experimental operation may change, and of no other', () => {
  const orders = 'paths /store/orders get';
  expect(breakingChanges(readReleased(), changed(`${orders} responses 501`))).toEqual([]);
  const before = changed(`${orders} x-stability`);
  const next = structuredClone(before) as { paths: { '/store/orders': { get: JsonObject } } };
  next.paths['/store/orders'].get['responses'] = {};
  expect(breakingChanges(before, next)).toContain('GET /store/orders 501: the response is gone');
});

test('no released error code is gone or has another status', () => {
  const released = new Map<string, number>();
  JSON.parse(readFileSync(releasedFile, 'utf8'), (_name, value) => {
    if (typeof value?.code === 'string') released.set(value.code, value.status);
    return value;
  });
  expect(released.size).toBeGreaterThan(10);
  expect(errorCodes).toMatchObject(
    Object.fromEntries([...released].map(([code, status]) => [code, { status }])),
  );
});

/** The released document with one value changed or removed. */
function changed(path: string, value?: unknown): JsonObject {
  const document = readReleased();
  const names = path.split(' ');
  const last = names.pop() ?? '';
  const target = names.reduce<JsonObject>((at, name) => at[name] as JsonObject, document);
  if (value === undefined) delete target[last];
  else target[last] = value;
  return document;
}

const list = 'paths /pets get';
const schemas = 'components schemas';

describe('a breaking change is found:', () => {
  test.each([
    ['an operation that is gone', 'paths /pets/{petId}', undefined],
    ['another operationId', `${list} operationId`, 'getPets'],
    ['a parameter that is gone', `${list} parameters 0 name`, 'size'],
    ['a parameter that became required', `${list} parameters 0 required`, true],
    ['a smaller maximum', `${list} parameters 0 schema maximum`, 50],
    [
      'a maximum that is smaller by one',
      `${schemas} NewPet properties categoryId maximum`,
      int64Max - 1n,
    ],
    ['another default', `${list} parameters 0 schema default`, 10],
    ['another form of a list', `${list} parameters 1 explode`, false],
    [
      'a header that is new and required',
      `${list} parameters 3`,
      { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } },
    ],
    ['a new keyword', `${schemas} NewPet additionalProperties`, false],
    ['another type', `${list} parameters 0 schema type`, 'string'],
    ['a value that is gone', `${schemas} PetStatus enum`, ['available', 'sold']],
    [
      'a value that is new to receivers',
      `${schemas} PetStatus enum`,
      ['available', 'pending', 'sold', 'lost'],
    ],
    ['a member that is gone', `${schemas} Pet properties categoryId`, undefined],
    ['a member that became optional', `${schemas} Pet required`, ['id', 'name']],
    [
      'a member that became required',
      `${schemas} NewPet required`,
      ['name', 'categoryId', 'status'],
    ],
    ['a shorter name', `${schemas} NewPet properties name maxLength`, 100],
    ['a longer name for receivers', `${schemas} Pet properties name maxLength`, 300],
    ['a response that is gone', `${list} responses 429`, undefined],
    ['a header that is gone', `${list} responses 200 headers Link`, undefined],
    ['a header that became optional', 'components headers Retry-After required', false],
    ['a media type that is gone', `${list} responses 200 content`, {}],
    ['another success', 'paths /pets post responses 202', { description: 'Later.' }],
    ['another security', `${list} security`, []],
    ['another security scheme', 'components securitySchemes bearerAuth scheme', 'basic'],
    ['a nearer sunset', 'paths /pets/{petId} get x-deprecated-sunset', '2029-12-05'],
    [
      'fewer values for senders alone',
      `${list} parameters 1 schema`,
      { type: 'string', enum: ['available', 'sold'] },
    ],
    ['a header of another type', 'components headers X-Request-Id schema type', 'integer'],
    ['a schema with another name', `${schemas} Pets`, undefined],
  ])('%s', (_what, path, value) => {
    expect(breakingChanges(readReleased(), changed(path, value))).not.toEqual([]);
  });
});

describe('an addition is not a breaking change:', () => {
  test.each([
    ['an operation', 'paths /pets delete', { responses: {} }],
    ['an optional parameter', `${list} parameters 3`, { name: 'sort', in: 'query', schema: {} }],
    ['a member of an answer', `${schemas} Pet properties age`, { type: 'integer' }],
    ['a header', `${list} responses 200 headers ETag`, { schema: { type: 'string' } }],
    ['a failure', `${list} responses 410`, { description: 'Gone.' }],
    ['a later sunset', 'paths /pets/{petId} get x-deprecated-sunset', '2031-12-05'],
    ['a deprecation', `${list} deprecated`, true],
    ['a greater maximum', `${list} parameters 0 schema maximum`, 200],
    ['another description', 'info description', 'A store.'],
  ])('%s', (_what, path, value) => {
    expect(breakingChanges(readReleased(), changed(path, value))).toEqual([]);
  });
});
