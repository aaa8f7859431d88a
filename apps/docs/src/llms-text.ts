import { type DocsPages, docsPaths } from './docs-page.ts';

/**
 * Generates `llms.txt`, a list of all Markdown pages for AI assistants.
 *
 * @see https://llmstxt.org
 */
export function llmsText(origin: string, { home, guides, changelog }: DocsPages): string {
  const line = ({ title, markdownPath, summary }: DocsPages['home']) =>
    `- [${title}](${origin}${markdownPath}): ${summary}`;
  return `# Animal Store API

> An HTTP/JSON API for a catalogue of animals for sale: list animals, add one, get one. Every request needs an API key as a bearer token; each key has a quota for a minute and one for a day.

The base address is ${origin}/v1. Every error has a \`code\`, a \`message\` and a \`status\`. After a 429, wait as long as \`Retry-After\` says: keys that keep sending are banned.

## Reference

- [OpenAPI 3.1 document](${origin}/openapi.json): all operations with schemas, headers, errors and samples.
- [All operations and error codes](${origin}${docsPaths.homeMarkdown}): ${home.summary}

- [All pages in one file](${origin}${docsPaths.llmsFull})

## Guides

${guides.map(line).join('\n')}

## Optional

${line(changelog)}
`;
}
