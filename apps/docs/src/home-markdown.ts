import { apiVersion } from '@animal-store/contract';
import {
  describeErrors,
  type ErrorReference,
  type JsonObject,
} from '@animal-store/contract/openapi';
import type { DocsPage } from './docs-page.ts';
import { guides } from './guides.ts';
import { operationsOf } from './operations-markdown.ts';

/**
 * Writes the entry of the reference: what there is, and every error code. The codes are here because their
 * addresses, `/docs#error-<code>`, are in OpenAPI documents and in errors of the client.
 */
export function homeMarkdown({
  pages,
  document,
  fillIn,
}: {
  /** Those of the guides, in their order. */
  pages: readonly Pick<DocsPage, 'path' | 'title' | 'summary'>[];
  document: JsonObject;
  fillIn: (text: string) => string;
}): string {
  return `# Animal Store API

List the animals of a store, add one, get one.

\`\`\`sh
${fillIn(example)}
\`\`\`

New here? [Getting started](/docs/guides/start) takes a few minutes. [Operations](/docs/guides/operations) has everything about each, to be tried there, and [openapi.json](/openapi.json) has all of it for tools.

## Guides

${pages.map(({ path, title, summary }, index) => `### [${title}](${path}) {#${guides[index]?.anchor}}\n\n${summary}`).join('\n\n')}

## Operations {#all-operations}

| Operation | Method and path | Stability |
|---|---|---|
${operationsOf(document).map(operationRow).join('\n')}

## Errors

Every error has the same body: \`code\`, \`message\` and \`status\`. [How to handle them](/docs/guides/errors). Within v1 codes are only added: treat one that is not here by its status.

${describeErrors().map(describeError).join('\n\n')}
`;
}

const example = `curl -i "{{baseUrl}}/pets?limit=3" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"`;

function operationRow({ name, summary, method, path, stability, sunset }: Operation): string {
  const mark = sunset === undefined ? stability : `deprecated, ends ${sunset}`;
  return `| [${summary}](/docs/guides/operations#${name}) | \`${method} /${apiVersion}${path}\` | ${mark} |`;
}

type Operation = ReturnType<typeof operationsOf>[number];

function describeError({ code, status, when, causes, advice, example }: ErrorReference): string {
  const headers = Object.entries(example.headers).map(([name, value]) => `${name}: ${value}\n`);
  return `### \`${code}\` {#error-${code}}

**${status}.** ${when}

${causes.map((cause) => `- ${cause}`).join('\n')}

**What to do:** ${advice}

\`\`\`http
HTTP/1.1 ${status}
${headers.join('')}Content-Type: application/json; charset=utf-8

${JSON.stringify(example.body, null, 2)}
\`\`\``;
}
