import { readFileSync } from 'node:fs';

/**
 * All guides, in the order of the navigation. The command `npm --prefix apps/docs run
 * client-reference` generates `client` and `client-errors`. `operations` is generated from the
 * OpenAPI document.
 *
 * Every other guide is a file in `content/guides`: a title, a paragraph that summarizes it, and the
 * text. `group` is the heading of the guide in the navigation. `anchor` keeps old links to `/docs`
 * working, from the time when all guides were one page.
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
 * Reads a guide, in which placeholders such as `{{baseUrl}}` are not replaced yet. In the guide,
 * the first line of a code block contains the language and the name of a program. The names are
 * removed, because readers do not need them.
 */
export const readGuide = (name: Exclude<GuideName, 'operations'>): string =>
  read(`guides/${name}`).replaceAll(/^(```\w+) \S+\.\w+$/gm, '$1');

/**
 * Reads the changelog for API callers. The changelog for operators is `CHANGELOG.md` in the
 * repository.
 */
export const readChangelog = (): string => read('changelog');
