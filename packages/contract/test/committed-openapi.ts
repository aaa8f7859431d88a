import { readFileSync } from 'node:fs';
import { adminErrorCodes, createAdminOpenApi } from '../src/admin/index.ts';
import { errorCodes } from '../src/error-codes.ts';
import { createOpenApi, type JsonObject } from '../src/openapi/index.ts';

/** A document that is committed. */
export interface CommittedDocument {
  readonly name: string;
  readonly file: URL;
  /** Creates the document from the contract. */
  readonly create: () => JsonObject;
  /** The error codes of its API, with their statuses. */
  readonly errorCodes: Readonly<Record<string, { status: number }>>;
}

/** The document of the public API. */
export const publicDocument: CommittedDocument = {
  name: 'openapi.json',
  file: new URL('../openapi.json', import.meta.url),
  create: () => createOpenApi(),
  errorCodes,
};

export const committedDocuments: readonly CommittedDocument[] = [
  publicDocument,
  {
    name: 'admin-openapi.json',
    file: new URL('../admin-openapi.json', import.meta.url),
    create: createAdminOpenApi,
    errorCodes: adminErrorCodes,
  },
];

/** The document of the last release; within v1 nothing that it promises may go. */
export const releasedFile = new URL('../releases/openapi-1.0.0.json', import.meta.url);

// TypeScript's library does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A document as it is committed: indented, and int64 bounds to the last digit. */
export function textOf({ create }: CommittedDocument): string {
  const exact = (_name: string, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value;
  return `${JSON.stringify(create(), exact, 2)}\n`;
}

export function readCommitted({ file }: CommittedDocument): string {
  return readFileSync(file, 'utf8');
}
