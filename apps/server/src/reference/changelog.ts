import { readFileSync } from 'node:fs';

const file = new URL('../../../../CHANGELOG.md', import.meta.url);

/** A release of the changelog. */
export interface Release {
  readonly version: string;
  readonly date: string;
  readonly markdown: string;
}

/**
 * Reads the changelog as a page of the reference: with a paragraph that sums it up, and without links into
 * the repository, which the page does not have.
 */
export function readChangelog(): string {
  const text = readFileSync(file, 'utf8');
  const changes = text
    .slice(text.indexOf('\n## ') + 1)
    .replaceAll(/\[([^\]]*)\]\((?!https?:|\/|#)[^)]*\)/g, '$1')
    .replaceAll(/^## (\S+) - .*$/gm, '$& {#release-$1}');
  return `# Changelog

What has changed in the API, in the TypeScript client, and for operators.

Within v1 the API changes only by additions: see [Versioning](/docs/guides/versioning). A [feed](/docs/changelog.atom) tells of releases, and of operations that will end.

${changes}`;
}

/** Finds the releases that have a date, as in `## 1.0.0 - 2026-11-21`. What is not released has none. */
export function releasesOf(markdown: string): Release[] {
  return markdown.split(/^## /m).flatMap((section) => {
    const [, version, date] = /^(\S+) - (\d{4}-\d\d-\d\d).*\n/.exec(section) ?? [];
    if (version === undefined || date === undefined) return [];
    return [{ version, date, markdown: section.slice(section.indexOf('\n')).trim() }];
  });
}
