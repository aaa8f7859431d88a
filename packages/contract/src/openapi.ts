import { contract } from './contract.ts';
import { failures } from './openapi/failures.ts';
import { always, type HeaderName, headers, wireNames } from './openapi/headers.ts';
import type { JsonObject } from './openapi/json-schema.ts';
import { createPaths, type OperationNotes } from './openapi/operations.ts';
import { createResponseWriter } from './openapi/responses.ts';
import { codeSamples } from './openapi/samples.ts';
import { mia, parameters, schemas } from './openapi/schemas.ts';
import { apiVersion, deprecations, type OperationName } from './routes.ts';

export { errorGuide } from './openapi/error-guide.ts';
export { createGuides, type GuideNumbers } from './openapi/guides.ts';
export type { JsonObject } from './openapi/json-schema.ts';

/** Where the API is. Origins, without a path. */
export interface OpenApiOptions {
  origin: string;
  /** The staging's; left out of the document if it is not known. */
  stagingOrigin?: string | undefined;
}

/** Origins for a document that no service serves: names that are reserved for it (RFC 2606, §2). */
export const exampleOrigins: OpenApiOptions = {
  origin: 'https://api.animal-store.example',
  stagingOrigin: 'https://staging.animal-store.example',
};

/**
 * The OpenAPI 3.1 document of the public API, derived from the contract. Write it with
 * `stringifyJson`: the bounds of int64 are `bigint`s.
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
    ],
    paths: {
      ...createPaths({ contract, notes: operationNotes(baseUrl), parameters, schemas, responses }),
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

const responses = createResponseWriter({ headers, wireNames, always, failures });

const deprecationHeaders: readonly HeaderName[] = ['Deprecation', 'Sunset', 'DeprecationLink'];

/** `/pets` is the one path with a method more. */
const petsMethods = {
  messages: { method_not_allowed: 'method: expected one of GET, HEAD, POST' },
};

/** What the document says of each operation. */
const operationNotes = (
  baseUrl: string,
): Readonly<Record<OperationName, OperationNotes<HeaderName>>> => ({
  listPets: {
    tag: 'Animals',
    description:
      'Lists animals by `id`, ascending. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`. Pages neither repeat nor skip an animal while others are added.',
    marks: { 'x-stability': 'stable' },
    success: { description: 'A page of animals.', example: [mia], headers: ['Link'] },
    failures: { 405: petsMethods },
    samples: codeSamples('listPets', baseUrl),
  },
  createPet: {
    tag: 'Animals',
    description:
      'Adds an animal and gives it its `id`. With an `Idempotency-Key`, the request can be repeated for 24 hours without adding a second one.',
    marks: { 'x-stability': 'stable' },
    parameters: [idempotencyKey],
    body: {
      description: 'The animal to add; at most 16 kB.',
      example: { name: mia.name, categoryId: mia.categoryId },
    },
    success: {
      description: 'The animal that was added, with the `id` that it was given.',
      example: mia,
      headers: ['Idempotent-Replayed'],
    },
    failures: {
      400: {
        description:
          'The body is missing required fields or contains invalid values, or is not JSON; the message names every fault.',
        messages: {
          invalid_request: 'status: expected one of available, pending, sold, got "lost"',
          invalid_json: 'body: expected valid JSON in UTF-8',
        },
      },
      405: petsMethods,
    },
    samples: codeSamples('createPet', baseUrl),
  },
  getPet: {
    tag: 'Animals',
    description: `Returns one animal. **Deprecated: it is to be removed on 5 December 2030.** Use \`GET /pets\` with a \`status\` filter instead.`,
    marks: {
      deprecated: contract.getPet.deprecated,
      'x-deprecated-sunset': isoDate(deprecations.getPet.sunsetAt),
      'x-stability': 'stable',
    },
    success: { description: 'The animal.', example: mia },
    failures: {
      400: { messages: { invalid_request: 'petId: expected a 64-bit integer, got "x"' } },
    },
    headers: deprecationHeaders,
    samples: codeSamples('getPet', baseUrl),
  },
});

/** The orders, which are not in the contract yet. */
const orders = (baseUrl: string): JsonObject => ({
  operationId: 'listOrders',
  tags: ['Orders'],
  summary: 'List orders',
  description:
    'Experimental: its shape is not settled, so it is not implemented yet, and there is nothing to try.',
  'x-stability': 'experimental',
  'x-hideTryItPanel': true,
  responses: {
    200: {
      description: 'Reserved for the list of orders. Not answered yet.',
      headers: responses.headers(),
    },
    ...responses.failures([400, 401, 405, 429, 500, 501, 503], {
      // It has no parameter that could be wrong; what HTTP itself asks for can be.
      400: { messages: { invalid_request: 'Host: expected exactly one' } },
    }),
  },
  'x-codeSamples': codeSamples('listOrders', baseUrl),
});

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: any text of your own that is new for each animal, such as a UUID. See the guide to idempotency.',
  example: '7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
