import { readFileSync } from 'node:fs';

/**
 * All guides, in the order in which they are read. `client` and `client-errors` are written by
 * `npm --prefix apps/docs run client-reference`. Each but `operations`, which is derived from the OpenAPI
 * document, is a file of `content/guides`: a title, a paragraph that sums it up, and the text. The
 * anchor is that on `/docs`, so that links from the time of one page still lead to it.
 */
export const guides = [
  { name: 'start', anchor: 'start' },
  { name: 'operations', anchor: 'operations' },
  { name: 'authentication', anchor: 'authentication' },
  { name: 'limits', anchor: 'rate-limits' },
  { name: 'errors', anchor: 'error-handling' },
  { name: 'pagination', anchor: 'pagination' },
  { name: 'idempotency', anchor: 'idempotency' },
  { name: 'integers', anchor: 'integers' },
  { name: 'deprecation', anchor: 'deprecation' },
  { name: 'versioning', anchor: 'versioning' },
  { name: 'typescript', anchor: 'typescript-client' },
  { name: 'client', anchor: 'client' },
  { name: 'client-errors', anchor: 'client-errors' },
  { name: 'languages', anchor: 'languages' },
] as const satisfies readonly { name: string; anchor: string }[];

export type GuideName = (typeof guides)[number]['name'];

const read = (path: string) =>
  readFileSync(new URL(`../content/${path}.md`, import.meta.url), 'utf8');

/** Reads a guide as it is written, with the names of its values. */
export const readGuide = (name: Exclude<GuideName, 'operations'>): string => read(`guides/${name}`);

/** Reads what has changed for callers. What has changed for operators is in the repository's own changelog. */
export const readChangelog = (): string => read('changelog');
