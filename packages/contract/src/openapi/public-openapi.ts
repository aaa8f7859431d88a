import { contract } from '../contract.ts';
import { deprecations } from '../deprecations.ts';
import { ErrorBody } from '../error-body.ts';
import { errorCodes, errorMessages } from '../error-codes.ts';
import { rateLimitHeaders } from '../rate-limit.ts';
import { rateLimitStatusContract } from '../rate-limit-status.ts';
import { apiVersion, type OperationName } from '../routes.ts';
import { codeSamples } from './code-samples.ts';
import { createSchemaWriter, type JsonObject } from './json-schema.ts';
import { createPaths, type OperationNotes } from './operations.ts';
import { responseHeaders } from './response-headers.ts';
import { createResponseWriter } from './responses.ts';

/** Where the API is. Origins, without a path. */
export interface OpenApiOptions {
  origin: string;
  /** The origin of the staging environment; left out of the document if it is not known. */
  stagingOrigin?: string | undefined;
}

/** Origins for a document that no service serves: names that are reserved for it (RFC 2606, §2). */
export const exampleOrigins: OpenApiOptions = {
  origin: 'https://api.animal-store.example',
  stagingOrigin: 'https://staging.animal-store.example',
};

/**
 * Creates the OpenAPI 3.1 document of the public API. The bounds of int64 are `bigint`s in it, so
 * write it with `stringifyJson`.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function createOpenApi({
  origin,
  stagingOrigin,
}: OpenApiOptions = exampleOrigins): JsonObject {
  const baseUrl = `${origin}/${apiVersion}`;
  const docsUrl = `${origin}/docs`;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store',
      version: '1.0.0',
      summary: 'A catalogue of animals for sale.',
      description: `List the animals of a store, add one, get one. Every request needs an API key; each key has a quota by its plan. Guides: ${docsUrl}.`,
      contact: { name: 'Animal Store' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Reference and guides', url: docsUrl },
    servers: [
      { url: baseUrl, description: 'Production' },
      ...(stagingOrigin === undefined
        ? []
        : [{ url: `${stagingOrigin}/${apiVersion}`, description: 'Staging' }]),
    ],
    security: [{ bearerAuth: [] }],
    tags: [
      { name: 'Animals', description: 'The catalogue: list animals, add one, get one.' },
      { name: 'Orders', description: 'Orders of animals. Experimental.' },
      { name: 'Rate limits', description: 'What a key has left of its quota. Beta.' },
    ],
    paths: {
      ...createPaths({ contract, notes: operationNotes(baseUrl), schemas, responses }),
      ...createPaths({
        contract: rateLimitStatusContract,
        notes: rateLimitStatusNotes(baseUrl),
        schemas,
        responses,
      }),
      '/store/orders': { get: orders(baseUrl) },
    },
    components: {
      schemas: schemas.components(),
      headers: responses.components(),
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'API key',
          description: 'Your API key, `ast_…`, as `Authorization: Bearer <API_KEY>`.',
        },
      },
    },
  };
}

const schemas = createSchemaWriter();

const responses = createResponseWriter({
  headers: responseHeaders,
  always: [
    rateLimitHeaders.limit,
    rateLimitHeaders.remaining,
    rateLimitHeaders.reset,
    rateLimitHeaders.policies,
    rateLimitHeaders.state,
    'X-Request-Id',
    'Cache-Control',
    'X-Content-Type-Options',
  ],
  errorBody: schemas.write(ErrorBody),
  errorCodes,
});

/** What the document says of each operation besides its contract. */
const operationNotes = (baseUrl: string): Readonly<Record<OperationName, OperationNotes>> => ({
  listPets: {
    marks: { 'x-stability': 'stable' },
    success: { description: 'A page of animals.', headers: ['Link'] },
    refused: { limit: '500' },
    samples: codeSamples('listPets', baseUrl),
  },
  createPet: {
    marks: { 'x-stability': 'stable' },
    body: { description: 'The animal to add; at most 16 kB.' },
    success: {
      description: 'The animal that was added, with the `id` that it was given.',
      headers: ['Idempotent-Replayed'],
    },
    refused: { name: 'Mia', categoryId: 3, status: 'lost' },
    samples: codeSamples('createPet', baseUrl),
  },
  getPet: {
    marks: {
      deprecated: contract.getPet.deprecated,
      'x-deprecated-sunset': deprecations.getPet.sunsetAt.toISOString().slice(0, 10),
      'x-stability': 'stable',
    },
    success: { description: 'The animal.' },
    refused: { petId: 'x' },
    headers: ['Deprecation', 'Sunset', 'DeprecationLink'],
    samples: codeSamples('getPet', baseUrl),
  },
});

const rateLimitStatusNotes = (
  baseUrl: string,
): Readonly<Record<keyof typeof rateLimitStatusContract, OperationNotes>> => ({
  getRateLimit: {
    marks: { 'x-stability': 'beta' },
    success: { description: "The key's rate limits." },
    // A banned key is answered, too.
    messages: { key_temporarily_banned: undefined },
    samples: codeSamples('getRateLimit', baseUrl),
  },
});

/** The orders, which are not in the contract yet. */
const orders = (baseUrl: string): JsonObject => ({
  operationId: 'listOrders',
  tags: ['Orders'],
  summary: 'List orders',
  description:
    'Experimental and not implemented yet, because its shape is not settled. There is nothing to try.',
  'x-stability': 'experimental',
  'x-hideTryItPanel': true,
  responses: {
    200: responses.success('Reserved for the list of orders. Not answered yet.', []),
    ...Object.fromEntries(
      [401, 405, 429, 500, 501, 503].map((status) => [
        status,
        responses.failure(status, orderMessages),
      ]),
    ),
  },
  'x-codeSamples': codeSamples('listOrders', baseUrl),
});

const orderMessages = {
  method_not_allowed: errorMessages.method_not_allowed(['GET', 'HEAD']),
};
