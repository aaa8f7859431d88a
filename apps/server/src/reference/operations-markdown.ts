import { apiVersion } from '@animal-store/contract';
import type { JsonObject } from '@animal-store/contract/openapi';

/** An operation of the document, as far as the guides show it. */
interface DocumentedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly stability: string;
  /** What a key must be allowed to do. */
  readonly scope: string;
  /** When it ends, as a date. */
  readonly sunset: string | undefined;
  readonly parameters: readonly { name: string; in: string; description?: string }[];
  /** Success and failures: status and description. */
  readonly responses: Readonly<Record<string, { description: string }>>;
  readonly samples: readonly { lang: string; label: string; source: string }[];
}

/** Reads the operations of an OpenAPI document, in its order. */
export function operationsOf(document: JsonObject): DocumentedOperation[] {
  const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: operation['operationId'] as string,
      method: method.toUpperCase(),
      path,
      summary: operation['summary'] as string,
      description: operation['description'] as string,
      tag: (operation['tags'] as string[])[0] ?? '',
      stability: operation['x-stability'] as string,
      scope: operation['x-required-scope'] as string,
      sunset: operation['x-deprecated-sunset'] as string | undefined,
      parameters: (operation['parameters'] ?? []) as DocumentedOperation['parameters'],
      responses: operation['responses'] as DocumentedOperation['responses'],
      samples: operation['x-codeSamples'] as DocumentedOperation['samples'],
    })),
  );
}

/** The names of languages in code blocks, by their names in the document. */
const languages: Readonly<Record<string, string>> = {
  shell: 'sh',
  typescript: 'ts',
  javascript: 'js',
  python: 'python',
  go: 'go',
};

/** Writes the guide to the operations, with the samples of each. */
export function operationsMarkdown(document: JsonObject): string {
  return `# Operations

Every operation with its parameters, its answers, and samples that run as they stand.

The samples read your key from the environment variable \`API_KEY\`. To send requests from this page, go to the [interactive reference](/docs/api).

${operationsOf(document).map(describeOperation).join('\n\n')}
`;
}

function describeOperation(operation: DocumentedOperation): string {
  const { name, method, path, summary, description, stability, scope, sunset } = operation;
  const parameters = operation.parameters.map(
    ({ name, in: place, description = '' }) => `| \`${name}\` | ${place} | ${cell(description)} |`,
  );
  const codes = Object.entries(operation.responses).map(
    ([status, { description }]) => `| ${status} | ${cell(description)} |`,
  );
  const samples = operation.samples.map(
    ({ lang, source }) => `\`\`\`${languages[lang] ?? lang}\n${source}\n\`\`\``,
  );
  const mark =
    sunset === undefined
      ? stability
      : `deprecated, ends on ${sunset}: see [Deprecation](/docs/guides/deprecation)`;
  return `## ${summary} {#${name}}

**\`${method} /${apiVersion}${path}\`**

${description}

Stability: ${mark}. Scope: [\`${scope}\`](/docs/guides/authentication#scopes).

${parameters.length === 0 ? '' : `### Parameters {#${name}-parameters}\n\n| Name | In | Meaning |\n|---|---|---|\n${parameters.join('\n')}\n\n`}### Samples {#${name}-samples}

${samples.join('\n\n')}

### Answers {#${name}-answers}

| Status | Meaning |
|---|---|
${codes.join('\n')}`;
}

/** A description in a cell of a table: its list on one line. */
function cell(description: string): string {
  return description.replaceAll(/^- /gm, '').replaceAll('\n', ' ').replaceAll('|', '\\|');
}
