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
 * Generates the home page of `/docs`: what the API is, how it differs from other APIs, where to
 * continue, and every error code. The page contains the error codes because OpenAPI documents and
 * client errors link to them, as `/docs#error-<code>`.
 */
export function homeMarkdown({
  pages,
  document,
  fillIn,
}: {
  /** The guides in the order of the navigation. */
  pages: readonly Pick<DocsPage, 'path' | 'title' | 'summary'>[];
  document: JsonObject;
  fillIn: (text: string) => string;
}): string {
  const guideCard = ({ path, title, summary }: (typeof pages)[number], index: number) =>
    `### [${title}](${path}) {#${guides[index]?.anchor}}\n\n${summary}`;
  return `# Animal Store API {.columns}

A JSON API over HTTP for a catalogue of animals for sale. You can list animals, add an animal, and get an animal.

You need an API key and any HTTP client. Every response says how many requests your key has left.

[Send your first request](/docs/guides/start), [try an operation](/docs/guides/operations) on its page, or load [openapi.json](/openapi.json) into your tools.

\`\`\`sh
${fillIn(request)}
\`\`\`

\`\`\`http
${exampleAnswer(document)}
\`\`\`

## What makes it different {#different .cards}

${differences}

## Where to start {#go .cards}

${starts}

## All guides {#guides .cards}

${pages.map(guideCard).join('\n\n')}

## Operations {#all-operations}

| Operation | Method and path | Stability |
|---|---|---|
${operationsOf(document).map(operationRow).join('\n')}

## Errors

Every error has the same body: \`code\`, \`message\` and \`status\`. The guide to [errors](/docs/guides/errors) says which requests to retry. New codes may be added within v1. If you do not know a code, use the status.

${describeErrors().map(describeError).join('\n\n')}
`;
}

const request = `curl -i "{{baseUrl}}/pets?limit=1" \\
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"`;

const differences = `### Exact limits on every replica

Each API key has a limit per minute and a limit per day. All replicas of the service together admit exactly this many requests. [Rate limits](/docs/guides/limits)

### Keys with scopes

An API key can read, write, or both. A key in a web page should only read. Operators can suspend or revoke [a leaked key](/docs/guides/authentication#leaked-key) immediately. [Authentication](/docs/guides/authentication)

### Idempotent creation

With an \`Idempotency-Key\`, you can retry a request without adding a second animal. The retry gets [the first response](/docs/guides/idempotency#replay). [Idempotency](/docs/guides/idempotency)

### A typed client

The TypeScript client waits and retries as the service asks, reads all pages, and keeps 64-bit integers exact. [TypeScript client](/docs/guides/typescript)`;

const starts = `### [Your first request](/docs/guides/start)

Get from an API key to your first animal with \`curl\` in a few minutes.

### [Use the client](/docs/guides/typescript)

Install the client, make the first calls, and [test your code](/docs/guides/typescript#tests-of-your-code) without the service.

### [Stay within the limits](/docs/guides/limits#after-a-429)

Wait after a 429 with curl, TypeScript, JavaScript, Python or Go.

### [Handle errors](/docs/guides/errors)

Read the body that every error has, and learn which requests to retry.

### [Use another language](/docs/guides/languages)

Copy a complete client in Python or Go, or generate a client.`;

/**
 * The headers of the example response that the home page shows: the headers about the quota, and
 * the link to the next page.
 */
const shownHeaders = [
  'Content-Type',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'Link',
  'X-Request-Id',
] as const;

/** Generates the example response of the home page from the examples in the OpenAPI document. */
function exampleAnswer(document: JsonObject): string {
  const { headers } = document['components'] as {
    headers: Readonly<Record<string, { readonly example: unknown }>>;
  };
  const list = operationsOf(document).find(({ name }) => name === 'listPets');
  const [pet] = (list?.responses['200']?.content?.['application/json'].example ?? []) as unknown[];
  const lines = shownHeaders.map((name) => {
    const value =
      name === 'Content-Type' ? 'application/json; charset=utf-8' : headers[name]?.example;
    if (value === undefined)
      throw new TypeError(
        `The OpenAPI document has no example of the header ${name}. Add the example in packages/contract.`,
      );
    // The example request asks for one animal, so the link to the next page must ask for one
    // animal, too.
    return `${name}: ${value}`.replace('limit=50', 'limit=1');
  });
  return ['HTTP/1.1 200 OK', ...lines, '', JSON.stringify([pet], null, 2)].join('\n');
}

function operationRow({ name, summary, method, path, stability, sunset }: Operation): string {
  const mark = sunset === undefined ? stability : `deprecated, ends ${sunset}`;
  return `| [${summary}](/docs/guides/operations#${name}) | \`${method} /${apiVersion}${path}\` | ${mark} |`;
}

type Operation = ReturnType<typeof operationsOf>[number];

function describeError({ code, status, when, causes, advice, example }: ErrorReference): string {
  const headers = Object.entries(example.headers).map(([name, value]) => `${name}: ${value}\n`);
  return `### \`${code}\` {#error-${code} .columns}

**${status}.** ${when}

${causes.map((cause) => `- ${cause}`).join('\n')}

**What to do:** ${advice}

\`\`\`http
HTTP/1.1 ${status}
${headers.join('')}Content-Type: application/json; charset=utf-8

${JSON.stringify(example.body, null, 2)}
\`\`\``;
}
