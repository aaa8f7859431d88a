import { apiVersion } from '@animal-store/contract';
import type { JsonObject, OpenApiOptions } from '@animal-store/contract/openapi';
import { createGuides, type GuideNumbers } from './guides.ts';

/** The addresses and settings that the reference shows. */
export type ReferenceOptions = OpenApiOptions & GuideNumbers;

/**
 * Adapts the OpenAPI document for the page: adds the guides, renames extensions as Scalar expects them,
 * and makes the origin of the page the server, so that try-outs work under any host name.
 */
export function toScalarDocument(document: JsonObject, options: ReferenceOptions): JsonObject {
  // These links point to the page itself.
  const { externalDocs: _, ...rest } = document;
  const { contact: __, ...info } = document['info'] as JsonObject;
  const { paths, servers } = document as {
    paths: Record<string, Record<string, JsonObject>>;
    servers: JsonObject[];
  };
  const [, ...others] = servers;
  const marked = (operation: JsonObject) => {
    const sunset = operation['x-deprecated-sunset'];
    return {
      ...operation,
      'x-scalar-stability': operation['deprecated'] ? 'deprecated' : operation['x-stability'],
      ...(sunset !== undefined && { 'x-badges': [{ name: `Sunset ${sunset}` }] }),
    };
  };
  const mapMembers = <T, R>(object: Record<string, T>, map: (member: T) => R) =>
    Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member)]));
  return withoutInt64Bounds({
    ...rest,
    info: {
      ...info,
      description: `${welcome}${createGuides(`${options.origin}/${apiVersion}`, options)}`,
    },
    servers: [{ url: `/${apiVersion}`, description: 'This service' }, ...others],
    paths: mapMembers(paths, (item) => mapMembers(item, marked)),
  });
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
List the animals of a store, add one, get one. Paste your API key under *Authentication*, and try each operation on this page.

For generators and other tools the whole of it is an [OpenAPI 3.1 document](/openapi.json).
`;
