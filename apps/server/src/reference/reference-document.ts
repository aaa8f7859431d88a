import { apiVersion } from '@animal-store/contract';
import type { JsonObject, OpenApiOptions } from '@animal-store/contract/openapi';
import type { GuideNumbers } from './guide-values.ts';

/** The addresses and settings that the reference shows. */
export type ReferenceOptions = OpenApiOptions & GuideNumbers;

/** Scalar shows an operation with any other `x-scalar-stability` as deprecated. */
const scalarStabilities: readonly unknown[] = ['stable', 'experimental'];

/**
 * Adapts the OpenAPI document for the page: links the guides, renames extensions as Scalar expects them,
 * leaves out what Scalar would send or show wrongly, and makes the origin of the page the server, so that
 * try-outs work under any host name.
 */
export function toScalarDocument(document: JsonObject): JsonObject {
  // The page has links of its own.
  const { externalDocs: _, ...rest } = document;
  const { contact: __, ...info } = document['info'] as JsonObject;
  const { paths, servers } = document as {
    paths: Record<string, Record<string, JsonObject>>;
    servers: JsonObject[];
  };
  const [, ...others] = servers;
  const mapMembers = <T, R>(object: Record<string, T>, map: (member: T) => R) =>
    Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member)]));
  return withoutInt64Bounds({
    ...rest,
    info: { ...info, description: welcome },
    servers: [{ url: `/${apiVersion}`, description: 'This service' }, ...others],
    paths: mapMembers(paths, (item) => mapMembers(item, toScalarOperation)),
  });
}

function toScalarOperation(operation: JsonObject): JsonObject {
  const { parameters, 'x-stability': stability, 'x-deprecated-sunset': sunset } = operation;
  const isKnown = scalarStabilities.includes(stability);
  const badges = [
    ...(isKnown ? [] : [{ name: stability, position: 'before' }]),
    ...(sunset === undefined ? [] : [{ name: `Sunset ${sunset}` }]),
  ];
  return {
    ...operation,
    ...(isKnown && !operation['deprecated'] && { 'x-scalar-stability': stability }),
    ...(badges.length > 0 && { 'x-badges': badges }),
    ...(Array.isArray(parameters) && { parameters: parameters.map(withoutSentExample) }),
  };
}

/**
 * Removes the examples that a try-out must not send. With the same `Idempotency-Key` the second try
 * returned the animal of the first; `ids` are refused beside the example of `limit`.
 */
function withoutSentExample(parameter: JsonObject): JsonObject {
  const { example: _, ...rest } = parameter;
  return parameter['in'] === 'header' || parameter['name'] === 'ids' ? rest : parameter;
}

/** Removes the bounds of int64. Scalar would round them, and the format `int64` implies them. */
function withoutInt64Bounds<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutInt64Bounds) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => typeof member !== 'bigint')
      .map(([name, member]) => [name, withoutInt64Bounds(member)]),
  ) as T;
}

const welcome = `
Paste your API key under *Authentication*, and try each operation on this page.

[Guides](/docs) · [Samples in five languages](/docs/guides/operations) · [All errors](/docs#errors) · [Changelog](/docs/changelog) · [OpenAPI 3.1 document](/openapi.json)
`;
