import { createOpenApi, type JsonObject } from '../src/openapi/index.ts';

const textOf = (document: JsonObject) => `${JSON.stringify(document, null, 2)}\n`;

/**
 * The OpenAPI document of the public API. It is committed, so that every change of the contract is
 * visible in a diff.
 */
export const publicDocument = { name: 'openapi.json', text: textOf(createOpenApi()) };

export const committedFile = new URL('../openapi.json', import.meta.url);
