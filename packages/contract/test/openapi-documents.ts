import { readFileSync } from 'node:fs';
import { adminErrorCodes, createAdminOpenApi } from '../src/admin/index.ts';
import { errorCodes } from '../src/error-codes.ts';
import { createOpenApi, type JsonObject } from '../src/openapi/index.ts';

/** An OpenAPI document that is derived from a contract. */
export interface OpenApiDocument {
  readonly name: string;
  /** Its text, indented. */
  readonly text: string;
  /** The error codes of its API, with their statuses. */
  readonly errorCodes: Readonly<Record<string, { status: number }>>;
}

/** The document of the public API. It is committed, so that a change of the contract shows. */
export const publicDocument: OpenApiDocument = {
  name: 'openapi.json',
  text: textOf(createOpenApi()),
  errorCodes,
};

export const documents: readonly OpenApiDocument[] = [
  publicDocument,
  { name: 'admin-openapi.json', text: textOf(createAdminOpenApi()), errorCodes: adminErrorCodes },
];

export const committedFile = new URL('../openapi.json', import.meta.url);

/** The document of the last release; within v1 nothing that it promises may go. */
export const releasedFile = new URL('../releases/openapi-1.0.0.json', import.meta.url);

export const readCommitted = (): string => readFileSync(committedFile, 'utf8');

function textOf(document: JsonObject): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
