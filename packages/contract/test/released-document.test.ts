import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '../src/error-codes.ts';
import { parseJson, stringifyJson } from '../src/exact-json.ts';
import type { JsonObject } from '../src/openapi/index.ts';
import { publicDocument } from './openapi-documents.ts';

/** The OpenAPI document of the last release. Within v1, everything that it promises must stay. */
const released = readFileSync(new URL('../releases/openapi-1.0.0.json', import.meta.url), 'utf8');

/**
 * The properties of the document that may change: texts for people, and the address of the service.
 */
const unpromised = /^(?:description|summary|examples?|tags|info|servers|x-codeSamples)$/;

/**
 * The differences that are always allowed, because they only add something to the released
 * document.
 */
const additions = [
  /^paths \S+(?: (?:get|put|post|patch|delete))?: is new$/,
  / parameters \w+ \S+: is new$/,
  / responses (?:[345]\d\d|.* headers \S+): is new(?:, and required)?$/,
  /^schemas \w+: is new$|.* (?:content \S+|properties \w+|x-[\w-]+|externalDocs): is new$/,
];

/**
 * The other differences that are allowed, because a review has shown that they break no client. A
 * comment at each pattern says why.
 */
const reviewed = [
  // Newer documents contain upper bounds that the released document lacks. The responses never
  // exceeded these bounds, so no client breaks.
  / responses .* (?:maxLength|maximum|maxItems): is new$/,
  // Newer documents no longer contain the minimum and maximum of an `int64`, because the format
  // `int64` implies them.
  / schema (?:.* )?minimum: was -9223372036854775808, is gone$/,
  / schema (?:.* )?maximum: was 9223372036854775807, is gone$/,
  // Newer documents allow any text as a status, because the service may add statuses. The released
  // document said this too, but it listed the statuses as a closed list, so generated clients
  // refused new ones.
  / responses 20[01] .* properties status (?:type: was "string", is gone|enum: was .*, is gone|anyOf: is new)$/,
  // The operation `GET /store/orders` is experimental, so it may change.
  /^paths \/store\/orders get responses [24]00: was /,
];

/**
 * Returns the parts of a document that must stay. References are resolved, and parameters are
 * indexed by name, so that the order of the parameters does not matter.
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

test('the current OpenAPI document keeps everything that the last release promised, except for reviewed changes', () => {
  const found = differences(readPromises(released), readPromises(publicDocument.text));
  const others = found.filter((it) => !additions.some((rule) => rule.test(it)));
  expect(others.filter((it) => !reviewed.some((rule) => rule.test(it)))).toEqual([]);
  // Each pattern in `reviewed` must match a difference, because an unused pattern could hide a
  // future change.
  expect(reviewed.filter((rule) => !others.some((it) => rule.test(it)))).toEqual([]);
});

test('every error code of the last release still exists with the same status', () => {
  const found = Object.fromEntries(
    Array.from(
      released.matchAll(/"code": "(\w+)",\s+"message": .*\s+"status": (\d+)/g),
      ([, code, status]) => [code, { status: Number(status) }],
    ),
  );
  expect(Object.keys(found).length).toBeGreaterThan(10);
  expect(errorCodes).toMatchObject(found);
});
