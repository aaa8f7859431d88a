import type { Operation } from '../operations.ts';
import type { JsonObject } from './json-schema.ts';
import { operationPrograms, programsBaseUrl } from './operation-programs.ts';

const kinds = {
  curl: { lang: 'shell', label: 'curl' },
  client: { lang: 'typescript', label: 'TypeScript client' },
  fetch: { lang: 'javascript', label: 'fetch' },
  python: { lang: 'python', label: 'Python' },
  go: { lang: 'go', label: 'Go' },
} as const;

const programs: Readonly<Record<Operation, Readonly<Record<keyof typeof kinds, string>>>> =
  operationPrograms;

/**
 * Returns code samples that call an operation, in the form of Redocly's extension `x-codeSamples`.
 */
export function codeSamples(operation: Operation, baseUrl: string): JsonObject[] {
  return Object.entries(kinds).map(([kind, { lang, label }]) => ({
    lang,
    label,
    source: programs[operation][kind as keyof typeof kinds]
      .replaceAll(programsBaseUrl, baseUrl)
      .trimEnd(),
  }));
}
