import { contract } from './contract.ts';
import { type HeaderName, headers, headersOf } from './openapi/headers.ts';
import {
  type FailureNotes,
  type FailureStatus,
  failureResponses,
  successResponse,
} from './openapi/responses.ts';
import { codeSamples, type DocumentedOperation } from './openapi/samples.ts';
import {
  componentSchemas,
  type JsonObject,
  mia,
  pathParameters,
  queryParameters,
} from './openapi/schemas.ts';
import { apiVersion, deprecations, type OperationName } from './routes.ts';

export { errorGuide } from './openapi/error-guide.ts';
export { createGuides, type GuideNumbers } from './openapi/guides.ts';
export type { JsonObject } from './openapi/schemas.ts';

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
  const operation = (name: DocumentedOperation, rest: JsonObject) => ({
    operationId: name,
    ...rest,
    'x-codeSamples': codeSamples(name, baseUrl),
  });
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
      '/pets': {
        get: operation('listPets', {
          tags: ['Animals'],
          summary: contract.listPets.summary,
          description:
            'Lists animals by `id`, ascending. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`. Pages neither repeat nor skip an animal while others are added.',
          'x-stability': 'stable',
          parameters: queryParameters(),
          responses: {
            200: successResponse({
              description: 'A page of animals.',
              schema: 'Pets',
              example: [mia],
              headers: ['Link'],
            }),
            ...failuresOf('listPets', { 405: petsMethods }),
          },
        }),
        post: operation('createPet', {
          tags: ['Animals'],
          summary: contract.createPet.summary,
          description:
            'Adds an animal and gives it its `id`. With an `Idempotency-Key`, the request can be repeated for 24 hours without adding a second one.',
          'x-stability': 'stable',
          parameters: [idempotencyKey],
          requestBody: {
            required: true,
            description: 'The animal to add; at most 16 kB.',
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/NewPet' },
                example: { name: mia.name, categoryId: mia.categoryId },
              },
            },
          },
          responses: {
            201: successResponse({
              description: 'The animal that was added, with the `id` that it was given.',
              schema: 'Pet',
              example: mia,
              headers: ['Idempotent-Replayed'],
            }),
            ...failuresOf('createPet', {
              400: {
                description:
                  'The body is missing required fields or contains invalid values, or is not JSON; the message names every fault.',
                messages: {
                  invalid_request: 'status: expected one of available, pending, sold, got "lost"',
                  invalid_json: 'body: expected valid JSON in UTF-8',
                },
              },
              405: petsMethods,
            }),
          },
        }),
      },
      '/pets/{petId}': {
        get: operation('getPet', {
          tags: ['Animals'],
          summary: contract.getPet.summary,
          description: `Returns one animal. **Deprecated: it is to be removed on 5 December 2030.** Use \`GET /pets\` with a \`status\` filter instead.`,
          deprecated: contract.getPet.deprecated,
          'x-deprecated-sunset': isoDate(deprecations.getPet.sunsetAt),
          'x-stability': 'stable',
          parameters: pathParameters(),
          responses: {
            200: successResponse({
              description: 'The animal.',
              schema: 'Pet',
              example: mia,
              headers: deprecationHeaders,
            }),
            ...failuresOf(
              'getPet',
              {
                400: { messages: { invalid_request: 'petId: expected a 64-bit integer, got "x"' } },
              },
              deprecationHeaders,
            ),
          },
        }),
      },
      '/store/orders': {
        get: operation('listOrders', {
          tags: ['Orders'],
          summary: 'List orders',
          description:
            'Experimental: its shape is not settled, so it is not implemented yet, and there is nothing to try.',
          'x-stability': 'experimental',
          'x-hideTryItPanel': true,
          responses: {
            200: {
              description: 'Reserved for the list of orders. Not answered yet.',
              headers: headersOf([]),
            },
            ...failureResponses([400, 401, 405, 429, 500, 501, 503], {
              // It has no parameter that could be wrong; what HTTP itself asks for can be.
              400: { messages: { invalid_request: 'Host: expected exactly one' } },
            }),
          },
        }),
      },
    },
    components: {
      schemas: componentSchemas(),
      headers,
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

const deprecationHeaders: readonly HeaderName[] = ['Deprecation', 'Sunset', 'DeprecationLink'];

/** `/pets` is the one path with a method more. */
const petsMethods = {
  messages: { method_not_allowed: 'method: expected one of GET, HEAD, POST' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: any text of your own that is new for each animal, such as a UUID. See the guide to idempotency.',
  example: '7f1c9a52-4b1e-4b55-8d0c-0a9d6c3f2e10',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

/** The failures that the contract lists for an operation, and what its path answers other methods. */
function failuresOf(
  name: OperationName,
  notes?: FailureNotes,
  extra?: readonly HeaderName[],
): JsonObject {
  const statuses = Object.keys(contract[name].responses).map(Number);
  const failures = [...statuses.filter((status) => status >= 400), 405];
  return failureResponses(failures as FailureStatus[], notes, extra);
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
