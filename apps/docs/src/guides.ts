import { readFileSync } from 'node:fs';

/**
 * All guides, in their order. `npm --prefix apps/docs run client-reference` writes `client` and
 * `client-errors`, and `operations` comes from the OpenAPI document. Every other guide is a file in
 * `content/guides`: a title, a paragraph that sums it up, and the text. The list of pages shows it
 * below its group. Its anchor on `/docs` stays, so that links to the earlier single page work.
 */
export const guides = [
  { name: 'start', group: 'Get started', anchor: 'start' },
  { name: 'operations', group: 'Get started', anchor: 'operations' },
  { name: 'authentication', group: 'Guides', anchor: 'authentication' },
  { name: 'limits', group: 'Guides', anchor: 'rate-limits' },
  { name: 'errors', group: 'Guides', anchor: 'error-handling' },
  { name: 'pagination', group: 'Guides', anchor: 'pagination' },
  { name: 'idempotency', group: 'Guides', anchor: 'idempotency' },
  { name: 'integers', group: 'Guides', anchor: 'integers' },
  { name: 'deprecation', group: 'Guides', anchor: 'deprecation' },
  { name: 'versioning', group: 'Guides', anchor: 'versioning' },
  { name: 'typescript', group: 'Clients', anchor: 'typescript-client' },
  { name: 'client', group: 'Clients', anchor: 'client' },
  { name: 'client-errors', group: 'Clients', anchor: 'client-errors' },
  { name: 'languages', group: 'Clients', anchor: 'languages' },
] as const satisfies readonly { name: string; group: string; anchor: string }[];

export type GuideName = (typeof guides)[number]['name'];

const read = (path: string) =>
  readFileSync(new URL(`../content/${path}.md`, import.meta.url), 'utf8');

/**
 * Reads a guide as it is written, with the names of its values. Code blocks name the program of
 * `examples` that they show, which readers need not see.
 */
export const readGuide = (name: Exclude<GuideName, 'operations'>): string =>
  read(`guides/${name}`).replaceAll(/^(```\w+) \S+\.\w+$/gm, '$1');

/** Reads the changelog for callers. The changelog for operators is in the repository. */
export const readChangelog = (): string => read('changelog');
