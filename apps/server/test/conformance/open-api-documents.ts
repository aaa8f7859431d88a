import { createAdminOpenApi } from '@animal-store/admin-contract';
import { createOpenApi, type JsonObject } from '@animal-store/contract/openapi';

const textOf = (document: JsonObject) => `${JSON.stringify(document, null, 2)}\n`;

export const publicDocument = { name: 'openapi.json', text: textOf(createOpenApi()) };

/** The OpenAPI documents of the public API and the admin API, as text. */
export const documents = [
  publicDocument,
  { name: 'admin-openapi.json', text: textOf(createAdminOpenApi()) },
];
