import { readFileSync } from 'node:fs';

const file = new URL('../../../../CHANGELOG.md', import.meta.url);

/**
 * Reads the changelog as a page of the reference: with a paragraph that sums it up, and without links into
 * the repository, which the page does not have.
 */
export function readChangelog(): string {
  const text = readFileSync(file, 'utf8');
  const changes = text
    .slice(text.indexOf('\n## ') + 1)
    .replaceAll(/\[([^\]]*)\]\((?!https?:|\/|#)[^)]*\)/g, '$1');
  return `# Changelog

What has changed in the API, in the TypeScript client, and for operators.

Within v1 the API changes only by additions: see [Versioning](/docs/guides/versioning).

${changes}`;
}
