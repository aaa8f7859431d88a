import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '../src/error-codes.ts';
import { parseJson, stringifyJson } from '../src/exact-json.ts';
import type { JsonObject } from '../src/openapi/index.ts';
import { publicDocument } from './openapi-documents.ts';

/** The document of the last release. Within v1, nothing that it promises may disappear. */
const released = readFileSync(new URL('../releases/openapi-1.0.0.json', import.meta.url), 'utf8');

/** Members that programs do not read, and the address of the service. */
const unpromised = /^(?:description|summary|examples?|tags|info|servers|x-codeSamples)$/;

/** Places where the current document may have more than the released one. */
const additions = [
  /^paths \S+(?: (?:get|put|post|patch|delete))?: is new$/,
  / parameters \w+ \S+: is new$/,
  / responses (?:[345]\d\d|.* headers \S+): is new(?:, and required)?$/,
  /^schemas \w+: is new$|.* (?:content \S+|properties \w+|x-[\w-]+|externalDocs): is new$/,
];

/** Other intended changes since the release, and why they break nobody. */
const reviewed = [
  // The response describes its content more exactly.
  / responses .* (?:maxLength|maximum|maxItems): is new$/,
  // The bounds are those in `int64`, which stays.
  / schema (?:.* )?minimum: was -9223372036854775808, is gone$/,
  / schema (?:.* )?maximum: was 9223372036854775807, is gone$/,
  // The description always promised new values. Generated clients refused them, because the list
  // was closed.
  / responses 20[01] .* properties status (?:type: was "string", is gone|enum: was .*, is gone|anyOf: is new)$/,
  // The operation is experimental.
  /^paths \/store\/orders get responses [24]00: was /,
];

/**
 * Returns the document with resolved references, parameters by their names, and without unpromised
 * members.
 */
function readPromises(text: string): unknown {
  const document = parseJson(text) as JsonObject;
  function expand(value: unknown, isNamed = false): unknown {
    if (Array.isArray(value)) {
      if (value.every((it) => it?.in === undefined)) return value.map((it) => expand(it));
      return Object.fromEntries(value.map((it) => [`${it.in} ${it.name}`, expand(it)]));
    }
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...members } = value as JsonObject;
    const path = typeof $ref === 'string' ? $ref.slice(2).split('/') : [];
    const target = path.reduce((at, name) => at[name] as JsonObject, document);
    const kept = Object.entries(path.length > 0 ? { ...target, ...members } : members)
      .filter(([name]) => isNamed || !unpromised.test(name))
      .map(([name, member]) => [name, expand(member, name === 'properties')]);
    return Object.fromEntries(kept);
  }
  const { schemas, securitySchemes } = document['components'] as Record<string, JsonObject>;
  const names = Object.fromEntries(Object.keys(schemas ?? {}).map((name) => [name, {}]));
  return expand({ ...document, components: { securitySchemes }, schemas: names });
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function differences(old: unknown, now: unknown, at: string[] = []): string[] {
  if (isObject(old) && isObject(now)) {
    const [before, after] = [old, now] as JsonObject[];
    return Object.keys({ ...before, ...after }).flatMap((name) =>
      differences(before?.[name], after?.[name], [...at, name]),
    );
  }
  const [was, is] = [old, now].map((value) => value && stringifyJson(value));
  const isRequired = (now as JsonObject | undefined)?.['required'] === true;
  const isNew = `is new${isRequired ? ', and required' : ''}`;
  const what = was === undefined ? isNew : `was ${was}, is ${is ?? 'gone'}`;
  return was === is ? [] : [`${at.join(' ')}: ${what}`];
}

test('the current document keeps everything that the last release promised, except reviewed changes', () => {
  const found = differences(readPromises(released), readPromises(publicDocument.text));
  const others = found.filter((it) => !additions.some((rule) => rule.test(it)));
  expect(others.filter((it) => !reviewed.some((rule) => rule.test(it)))).toEqual([]);
  // An unused rule would hide the next change.
  expect(reviewed.filter((rule) => !others.some((it) => rule.test(it)))).toEqual([]);
});

test('every released error code still exists with its status', () => {
  const found = Object.fromEntries(
    Array.from(
      released.matchAll(/"code": "(\w+)",\s+"message": .*\s+"status": (\d+)/g),
      ([, code, status]) => [code, { status: Number(status) }],
    ),
  );
  expect(Object.keys(found).length).toBeGreaterThan(10);
  expect(errorCodes).toMatchObject(found);
});
