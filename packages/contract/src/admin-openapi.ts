import { adminBasePath, adminContract, type adminRoutes } from './admin.ts';
import { type AdminHeaderName, adminResponses } from './openapi/admin-responses.ts';
import {
  adminParameters,
  adminSchemas,
  exampleDetails,
  exampleIssuedKey,
  exampleKey,
} from './openapi/admin-schemas.ts';
import type { JsonObject } from './openapi/json-schema.ts';
import { createPaths, type OperationNotes } from './openapi/operations.ts';

/**
 * The OpenAPI 3.1 document of the operators' API, derived from its contract.
 *
 * Its server is a path and no origin: operators reach the listener by names that it cannot know, such
 * as that of a tunnel, and a relative one is resolved against where the document was read.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html#server-object
 */
export function createAdminOpenApi(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store admin API',
      version: '1.0.0',
      summary: 'The life of API keys.',
      description:
        "Make, list, show, change, rotate, revoke and unban the API keys of an Animal Store. It lives on the operators' listener, which the public must not reach. Times are ISO 8601 in UTC. Unknown members of a body are refused: a misspelt one must not be overlooked. Where no `ADMIN_TOKEN` guards it, there is no admin API: everything is 404.",
      contact: { name: 'Animal Store' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: adminBasePath, description: 'Where this document is from' }],
    security: [{ adminToken: [] }],
    tags: [{ name: 'Keys', description: 'API keys, and how they stand.' }],
    paths: createPaths({
      contract: adminContract,
      notes,
      parameters: adminParameters,
      schemas: adminSchemas,
      responses: adminResponses,
    }),
    components: {
      schemas: adminSchemas.components(),
      headers: adminResponses.components(),
      securitySchemes: {
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'admin token',
          description:
            'The `ADMIN_TOKEN` of the service, as `Authorization: Bearer <ADMIN_TOKEN>`. An embedded server keeps it in `DATA_DIR/admin-token`.',
        },
      },
    },
  };
}

const tag = 'Keys';

const invalidJson = 'body: expected valid JSON in UTF-8';

/** What the document says of each operation. */
const notes: Readonly<Record<keyof typeof adminRoutes, OperationNotes<AdminHeaderName>>> = {
  createKey: {
    tag,
    description: 'Makes a key and shows its token, once: it is stored as a hash.',
    body: {
      description: 'The key to make; at most 16 kB.',
      examples: {
        plan: {
          summary: 'A Pro key for 90 days',
          value: {
            name: exampleKey.name,
            account: exampleKey.account,
            plan: 'pro',
            expiresAt: exampleKey.expiresAt,
          },
        },
        enterprise: {
          summary: 'An Enterprise key',
          value: { plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } },
        },
      },
    },
    success: { description: 'The key and its token.', example: exampleIssuedKey },
    failures: {
      400: {
        messages: {
          invalid_request: 'plan: expected one of free, pro, business, enterprise, got "gold"',
          invalid_json: invalidJson,
        },
      },
    },
  },
  listKeys: {
    tag,
    description:
      'Lists keys, the newest first. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`.',
    success: { description: 'A page of keys.', example: [exampleKey], headers: ['Link'] },
    failures: {
      400: {
        messages: { invalid_request: 'limit: expected one integer from 1 to 100, got "500"' },
      },
    },
  },
  getKey: {
    tag,
    description: 'Shows a key, what it has used of both windows, its strikes and its ban.',
    success: { description: 'The key and its usage.', example: exampleDetails },
  },
  changeKey: {
    tag,
    description:
      'Changes the plan of a key, the numbers of an Enterprise key, or both, from the next request on. What it has used stays counted.',
    body: { description: 'What to change.', example: { plan: 'business' } },
    success: {
      description: 'The key as it is now.',
      example: {
        ...exampleKey,
        plan: 'business',
        quota: { perMinute: 1_000, perDay: 100_000 },
      },
    },
    failures: {
      400: {
        description:
          'The request is not valid, or a key would become Enterprise without its numbers, or have numbers without being Enterprise.',
        messages: {
          invalid_request:
            'quota: expected an Enterprise key to bring its own perMinute and perDay, got nothing',
          invalid_json: invalidJson,
        },
      },
    },
  },
  rotateKey: {
    tag,
    description:
      'Makes a new token and shows it, once. The tokens before it stay good for a while, and never longer than an earlier rotation left them; together they are one key with one quota.',
    body: {
      description: 'How long the tokens before it stay good. May be left out whole.',
      required: false,
      example: { graceSeconds: 3_600 },
    },
    success: {
      description: 'The key and its new token.',
      example: {
        ...exampleIssuedKey,
        key: {
          ...exampleKey,
          tokens: [
            { prefix: 'ast_0000', createdAt: '2026-12-01T09:00:00.000Z', expiresAt: null },
            {
              prefix: 'ast_9999',
              createdAt: exampleKey.createdAt,
              expiresAt: '2026-12-01T10:00:00.000Z',
            },
          ],
        },
      },
    },
    failures: {
      400: {
        messages: {
          invalid_request: 'graceSeconds: expected an integer from 0 to 2592000, got -1',
          invalid_json: invalidJson,
        },
      },
    },
  },
  revokeKey: {
    tag,
    description:
      'Takes a key back for good: all replicas refuse it within a second. Doing it again changes nothing.',
    success: {
      description: 'The key as it is now.',
      example: { ...exampleKey, state: 'revoked', revokedAt: '2026-12-01T09:00:00.000Z' },
    },
  },
  unbanKey: {
    tag,
    description:
      "Ends a key's ban and forgets its strikes and earlier bans. What it has used stays counted.",
    success: { description: 'The key and its usage.', example: exampleDetails },
  },
};
