import { readFileSync } from 'node:fs';
import { adminErrorStatus } from '../src/admin.ts';
import { createAdminOpenApi } from '../src/admin-openapi.ts';
import { errorStatus } from '../src/error.ts';
import { createOpenApi, type JsonObject } from '../src/openapi.ts';

/** A document that is committed. */
export interface CommittedDocument {
  readonly name: string;
  readonly file: URL;
  /** What the contract says now. */
  readonly create: () => JsonObject;
  /** The error codes of its API, with their statuses. */
  readonly errorStatus: Readonly<Record<string, number>>;
}

/** The document of the public API. */
export const publicDocument: CommittedDocument = {
  name: 'openapi.json',
  file: new URL('../openapi.json', import.meta.url),
  create: () => createOpenApi(),
  errorStatus,
};

export const committedDocuments: readonly CommittedDocument[] = [
  publicDocument,
  {
    name: 'admin-openapi.json',
    file: new URL('../admin-openapi.json', import.meta.url),
    create: createAdminOpenApi,
    errorStatus: { ...errorStatus, ...adminErrorStatus },
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
