import { apiVersion } from '@animal-store/contract';
import type { JsonObject } from '@animal-store/contract/openapi';
import { createSchemaReader, type SchemaReader } from './describe-schema.ts';

type Schema = Parameters<SchemaReader['typeOf']>[0];

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** The schema of a body, with an example. */
interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  /** The examples of error responses, by error code. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: { readonly 'application/json': Content };
}

interface Header {
  readonly description: string;
  /** Whether the header is present in every response for which the OpenAPI document lists it. */
  readonly required?: boolean;
  readonly example: unknown;
}

/** The parts of an OpenAPI operation that the reference shows. */
interface DocumentedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly stability: string;
  /** The scope that the API key needs, such as `pets:read`. */
  readonly scope: string;
  /** The date when a deprecated operation will be removed. */
  readonly sunset: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: (Pick<Answer, 'description'> & Required<Pick<Answer, 'content'>>) | undefined;
  /** The responses of the operation, by status. */
  readonly responses: Readonly<Record<string, Answer>>;
  readonly samples: readonly { lang: string; label: string; source: string }[];
}

/** Returns the operations of an OpenAPI document in the order of the document. */
export function operationsOf(document: JsonObject): DocumentedOperation[] {
  const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: operation['operationId'] as string,
      method: method.toUpperCase(),
      path,
      summary: operation['summary'] as string,
      description: operation['description'] as string,
      stability: operation['x-stability'] as string,
      scope: operation['x-required-scope'] as string,
      sunset: operation['x-deprecated-sunset'] as string | undefined,
      parameters: (operation['parameters'] ?? []) as DocumentedOperation['parameters'],
      body: operation['requestBody'] as DocumentedOperation['body'],
      responses: operation['responses'] as DocumentedOperation['responses'],
      samples: operation['x-codeSamples'] as DocumentedOperation['samples'],
    })),
  );
}

/** The language names for code blocks, by the language names in the OpenAPI document. */
const languages: Readonly<Record<string, string>> = {
  shell: 'sh',
  typescript: 'ts',
  javascript: 'js',
  python: 'python',
  go: 'go',
};

/** Generates the guide to all operations from the OpenAPI document. */
export function operationsMarkdown(document: JsonObject): string {
  const operations = operationsOf(document);
  const reader = createSchemaReader(document);
  const { headers, schemas } = document['components'] as {
    headers: Readonly<Record<string, Header>>;
    schemas: Readonly<Record<'Error', Schema & { examples: readonly unknown[] }>>;
  };
  // Headers that every response has are described once, at the top of the guide.
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  const common = Object.keys(answers[0]?.headers ?? {}).filter((name) =>
    answers.every((answer) => answer.headers?.[name] !== undefined),
  );
  const ownHeaders = (of: Answer['headers'] = {}) =>
    Object.keys(of).filter((name) => !common.includes(name));
  const headerRow = (name: string, of: Answer['headers'] = {}) => {
    const header = headers[of[name]?.$ref.split('/').at(-1) ?? ''] as Header;
    const { description, required = false, example } = header;
    return [`\`${name}\``, required ? 'yes' : 'no', description, `\`${example}\``];
  };
  const headersTable = (of: Answer['headers'], names: readonly string[]) =>
    tableOf(
      ['Header', 'Always present', 'Description', 'Example'],
      names.map((name) => headerRow(name, of)),
    );
  // The additional headers of error responses are described once, because all operations share
  // them.
  const errorHeaders = new Map(
    operations.flatMap(({ responses }) => {
      const [[, success] = []] = Object.entries(responses).filter(([code]) => code < '300');
      return Object.entries(responses)
        .filter(([code]) => code >= '400')
        .flatMap(([code, { headers: all }]) =>
          ownHeaders(all)
            .filter((name) => success?.headers?.[name] === undefined)
            .map((name) => [`${code} ${name}`, [code, ...headerRow(name, all)]] as const),
        );
    }),
  );

  function describeAnswers({ name, responses }: DocumentedOperation): string {
    const [[status, success] = []] = Object.entries(responses).filter(([code]) => code < '300');
    const failures = Object.entries(responses).filter(([code]) => code !== status);
    const content = success?.content?.['application/json'];
    return [
      ...(status === undefined || success === undefined
        ? []
        : [
            `### Response: ${status} {#${name}-answer}`,
            success.description,
            content && propertiesTable(reader, content.schema, 'Always present'),
            headersTable(success.headers, ownHeaders(success.headers)),
            content && jsonBlock(content.example, status),
          ]),
      `### Errors: ${failures.map(([code]) => code).join(', ')} {#${name}-answers}`,
      'All errors have the same [body](#errors).',
      tableOf(
        ['Status', 'Description'],
        failures.map(([code, { description }]) => [code, description]),
      ),
      ...failures.flatMap(([code, { content }]) =>
        Object.values(content?.['application/json'].examples ?? {}).map(({ value }) =>
          jsonBlock(value, code),
        ),
      ),
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  function describeOperation(operation: DocumentedOperation): string {
    const { name, method, path, summary, description, stability, scope, sunset } = operation;
    const content = operation.body?.content['application/json'];
    const end = `deprecated, ends on ${sunset}: see [Deprecation](/docs/guides/deprecation)`;
    return [
      `## ${summary} {#${name} .columns}`,
      `**\`${method} /${apiVersion}${path}\`**`,
      description,
      `\`${name}\`. Stability: ${sunset === undefined ? stability : end}. Scope: [\`${scope}\`](/docs/guides/authentication#scopes).`,
      operation.parameters.length > 0 && `### Parameters {#${name}-parameters}`,
      tableOf(
        ['Name', 'In', 'Type', 'Description'],
        operation.parameters.map((each) => [
          `\`${each.name}\`${each.required ? ' (required)' : ''}`,
          each.in,
          reader.typeOf(each.schema),
          each.description ?? '',
        ]),
      ),
      operation.body && `### Request body {#${name}-body}\n\n${operation.body.description}`,
      content && propertiesTable(reader, content.schema, 'Required'),
      content && jsonBlock(content.example),
      `### Samples {#${name}-samples .side}`,
      ...operation.samples.map(
        ({ lang, source }) => `\`\`\`${languages[lang] ?? lang}\n${source}\n\`\`\``,
      ),
      describeAnswers(operation),
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  return `# Operations

This page describes every operation, with programs that run unchanged.

The programs read your key from the environment variable \`ANIMAL_STORE_API_KEY\`. To send a request from this page, use "Try it".

${operations.map(describeOperation).join('\n\n')}

## Body and headers of errors {#errors}

Every error has this body, with the \`status\` of its response:

${propertiesTable(reader, schemas.Error, 'Always present')}

${jsonBlock(schemas.Error.examples[0])}

${tableOf(
  ['Status', 'Header', 'Always present', 'Description', 'Example'],
  [...errorHeaders.values()].sort(),
)}

## Headers of every response {#headers}

Every response of an operation has these headers, even an error. Only responses [without a body](/docs/guides/errors#answers-without-a-body) lack them.

${headersTable(answers[0]?.headers, common)}
`;
}

/**
 * Generates a table of the properties of a body. The text is empty if the schema has no properties.
 */
function propertiesTable(reader: SchemaReader, schema: Schema, required: string): string {
  const properties = reader.propertiesOf(schema);
  return tableOf(
    ['Field', 'Type', required, 'Description'],
    properties.map(({ name, type, isRequired, description }) => [
      ...[`\`${name}\``, type, isRequired ? 'yes' : 'no', description],
    ]),
  );
}

/**
 * Generates a code block with an example.
 *
 * @param status the status of the response, if the example is the body of a response.
 */
function jsonBlock(example: unknown, status = ''): string {
  const language = `json ${status}`.trim();
  return example === undefined
    ? ''
    : `\`\`\`${language}\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

/** Generates a Markdown table. Without rows, the result is empty. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Formats a description for a table cell. A list in the description becomes one line. */
function cell(description: string): string {
  return description.replaceAll(/^- /gm, '').replaceAll('\n', ' ').replaceAll('|', '\\|');
}
