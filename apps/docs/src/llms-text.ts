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

> An HTTP/JSON API for a catalogue of animals for sale. You can list animals, add an animal, and get an animal. Every request needs an API key as a bearer token. Each key has a limit per minute and a limit per day.

The base address is ${origin}/v1. Every error has a \`code\`, a \`message\` and a \`status\`. After a 429, wait as long as \`Retry-After\` says. A key that keeps sending requests is banned.

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
