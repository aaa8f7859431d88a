import { readFileSync } from 'node:fs';
import { createOpenApi } from '../src/openapi.ts';

/** The committed document. */
export const committedFile = new URL('../openapi.json', import.meta.url);

/** The document of the last release; within v1 nothing that it promises may go. */
export const releasedFile = new URL('../releases/openapi-1.0.0.json', import.meta.url);

// TypeScript's library does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** The document as it is committed: indented, and int64 bounds to the last digit. */
export function openApiText(): string {
  const exact = (_name: string, value: unknown) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value;
  return `${JSON.stringify(createOpenApi(), exact, 2)}\n`;
}

export function readCommitted(): string {
  return readFileSync(committedFile, 'utf8');
}
