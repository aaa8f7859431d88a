import { ErrorBody } from '../error-body.ts';
import { errorCodes, errorMessages } from '../error-codes.ts';
import { errorDocsPath } from '../error-docs-path.ts';
import type { OperationMetadata } from '../operation-metadata.ts';
import { type Operation, operations } from '../operations.ts';
import { rateLimitHeaders } from '../rate-limit.ts';
import { apiVersion } from '../routes.ts';
import { codeSamples } from './code-samples.ts';
import { createResponseWriter } from './describe-responses.ts';
import { createPaths, type OperationNotes } from './document-paths.ts';
import { createSchemaWriter, type JsonObject } from './json-schema.ts';
import { exampleOrigin, type HeaderName, responseHeadersAt } from './response-headers.ts';

/** The addresses of the API in the document: origins without a path. */
export interface OpenApiOptions {
  origin: string;
  /**
   * The origin of the staging environment. If it is missing, the document has no staging server.
   */
  stagingOrigin?: string | undefined;
}

/**
 * The origins in a document that was created without a running service, such as the committed
 * `openapi.json`.
 */
export const exampleOrigins: OpenApiOptions = {
  origin: exampleOrigin,
  stagingOrigin: 'https://staging.animal-store.example',
};

/**
 * Creates the OpenAPI 3.1 document of the public API.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function createOpenApi({
  origin,
  stagingOrigin,
}: OpenApiOptions = exampleOrigins): JsonObject {
  const baseUrl = `${origin}/${apiVersion}`;
  const docsUrl = `${origin}/docs`;
  const responses = createResponseWriter({
    headers: responseHeadersAt(origin),
    always: headersOfAll,
    errorBody: schemas.write(ErrorBody),
    errorCodes,
    docsUrlOf: (code) => origin + errorDocsPath(code),
  });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store',
      version: '1.0.0',
      summary: 'A catalogue of animals for sale.',
      description: `Use this API to list the animals of a store, to add an animal, and to get an animal. Every request needs an API key. The plan of the API key determines its quota. Guides: ${docsUrl}.`,
      contact: { name: 'Animal Store' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Reference and guides', url: docsUrl },
    servers: [
      { url: baseUrl, description: 'Production', 'x-internal': false },
      ...(stagingOrigin === undefined
        ? []
        : [{ url: `${stagingOrigin}/${apiVersion}`, description: 'Staging', 'x-internal': false }]),
    ],
    security: [{ bearerAuth: [] }],
    tags: [
      { name: 'Animals', description: 'The catalogue: list animals, add one, get one.' },
      { name: 'Orders', description: 'Orders of animals. Experimental.' },
      { name: 'Rate limits', description: 'The remaining quota of an API key. Beta.' },
    ],
    paths: createPaths({ contract: operations, notes: completeNotes(baseUrl), schemas, responses }),
    components: {
      schemas: withDocs(schemas.components(), docsUrl),
      headers: responses.components(),
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'API key',
          description:
            'Your API key, `ast_…`, as `Authorization: Bearer <API_KEY>`. `x-required-scope` is the scope that the API key needs for an operation: `pets:read` or `pets:write`. Most API keys have both scopes.',
        },
      },
    },
  };
}

const schemas = createSchemaWriter();

/** Adds a link to the error reference to the schema of the error body. */
function withDocs(components: JsonObject, docsUrl: string): JsonObject {
  const externalDocs = { description: 'All error codes', url: `${docsUrl}#errors` };
  return { ...components, Error: { ...(components['Error'] as JsonObject), externalDocs } };
}

/** The headers that every response has. */
const headersOfAll: readonly HeaderName[] = [
  rateLimitHeaders.limit,
  rateLimitHeaders.remaining,
  rateLimitHeaders.reset,
  rateLimitHeaders.policies,
  rateLimitHeaders.state,
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
];

/** The parts of each operation's description that the contract does not contain. */
const notes: Readonly<Record<Operation, OperationNotes>> = {
  listPets: {
    description: 'A page of animals, or the animals with the given `ids`.',
    refused: { limit: '500' },
  },
  createPet: {
    body: { description: 'The animal to add; at most 16 kB.' },
    description: 'The added animal, with its new `id`.',
    successHeaders: ['Location', 'Idempotent-Replayed'],
    refused: { name: 'Mia', categoryId: 3, status: 'lost' },
  },
  getPet: { description: 'The animal.', refused: { petId: 'x' } },
  getRateLimit: {
    description: 'The rate limits of the API key.',
    // A banned key can also call `getRateLimit`, so this operation never returns
    // `key_temporarily_banned`.
    messages: { key_temporarily_banned: undefined },
  },
  listOrders: {},
};

/**
 * Returns the description of each operation. The function completes the table `notes` with the
 * parts that follow from the operation's metadata, such as its deprecation and scope.
 */
function completeNotes(baseUrl: string): Readonly<Record<Operation, OperationNotes>> {
  const completed = (Object.keys(operations) as Operation[]).map((name) => {
    const { deprecation, scope, stability }: OperationMetadata = operations[name].metadata;
    const marks = {
      ...(deprecation !== undefined && {
        deprecated: true,
        'x-deprecated-sunset': deprecation.sunsetAt.toISOString().slice(0, 10),
      }),
      'x-stability': stability,
      'x-required-scope': scope,
      ...(stability === 'experimental' && { 'x-hideTryItPanel': true }),
    };
    const headers: Pick<OperationNotes, 'headers'> =
      deprecation === undefined ? {} : { headers: ['Deprecation', 'Sunset', 'DeprecationLink'] };
    const messages = {
      insufficient_scope: errorMessages.insufficient_scope(scope),
      ...notes[name].messages,
    };
    const added = { marks, samples: codeSamples(name, baseUrl), ...headers };
    return [name, { ...notes[name], ...added, messages }];
  });
  return Object.fromEntries(completed);
}
