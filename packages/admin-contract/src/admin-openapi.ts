import { rateLimitHeaders } from '@animal-store/contract';
import {
  createPaths,
  createResponseWriter,
  createSchemaWriter,
  type JsonObject,
  type OperationNotes,
  responseHeaders,
} from '@animal-store/contract/internal';
import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import { exampleAccount } from './admin-account.ts';
import { adminContract } from './admin-contract.ts';
import { AdminErrorBody, adminErrorCodes, adminErrorMessages } from './admin-error-codes.ts';
import { maxCounted } from './admin-fields.ts';
import { exampleIssuedKey, exampleKey } from './admin-key.ts';
import { exampleOperator } from './admin-operator.ts';
import { adminBasePath, adminRoutes } from './admin-routes.ts';
import { exampleSuspension } from './admin-suspension.ts';

/**
 * Creates the OpenAPI 3.1 document of the admin API.
 *
 * The document gives the address of the server as a path without an origin. The service cannot know
 * the origin, because operators may reach the ops listener through a tunnel. Tools resolve the path
 * against the address from which they loaded the document.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html#server-object
 */
export function createAdminOpenApi(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store admin API',
      version: '1.0.0',
      summary: 'Manages API keys and operators.',
      description:
        'Creates, lists, shows, changes, rotates, suspends, resumes, revokes and unbans the API keys of an Animal Store, and manages the operators. Every change is in the audit log, with its `reason`. In this document, a key is always an API key. The admin API runs on the ops listener (the port `OPS_PORT`), which must not be reachable from the internet. Times are ISO 8601 in UTC. Unknown properties of a body are refused, so that a misspelt name is noticed. `x-required-role` is the lowest role that may call an operation: `viewer`, `operator` or `owner`.',
      contact: { name: 'Animal Store' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: adminBasePath, description: 'The origin of the server that sent this document' },
    ],
    security: [{ adminToken: [] }],
    tags: [
      {
        name: 'Accounts',
        description:
          'Accounts. The keys of an account that has a plan share the limits of this plan.',
      },
      { name: 'Audit', description: 'The audit log: who changed what, and when.' },
      { name: 'Keys', description: 'API keys and their usage.' },
      {
        name: 'Operators',
        description: 'The people and programs that may use this API, and their roles.',
      },
      { name: 'Service', description: 'The state of the service.' },
      { name: 'Sessions', description: 'Sessions, which a browser uses instead of a token.' },
      { name: 'Usage', description: 'The usage: how many requests were made, and when.' },
    ],
    paths: createPaths({ contract: adminContract, notes: completeNotes(), schemas, responses }),
    components: {
      schemas: schemas.components(),
      headers: responses.components(),
      securitySchemes: {
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'admin token',
          description:
            'The token of an operator, or the `ADMIN_TOKEN` of the service, which has the role owner, as `Authorization: Bearer <token>`.',
        },
      },
    },
  };
}

const schemas = createSchemaWriter();

const { retryAfter } = rateLimitHeaders;

const responses = createResponseWriter({
  headers: {
    'X-Request-Id': responseHeaders['X-Request-Id'],
    'Cache-Control': responseHeaders['Cache-Control'],
    'X-Content-Type-Options': responseHeaders['X-Content-Type-Options'],
    [retryAfter]: {
      ...responseHeaders[retryAfter],
      description: 'The number of whole seconds to wait before the next request.',
    },
    RetryLater: responseHeaders.RetryLater,
    Link: {
      ...responseHeaders.Link,
      example: `<${adminBasePath}/keys?limit=20&plan=pro&cursor=T3BhcXVlOiBmb2xsb3cgdGhlIGxpbms>; rel="next"`,
    },
    'X-Total-Count': {
      description: `With \`count=true\`: the number of matches on all pages. ${maxCounted + 1} means more than ${maxCounted}.`,
      schema: { type: 'integer' },
      example: 204,
    },
    'WWW-Authenticate': {
      ...responseHeaders['WWW-Authenticate'],
      description:
        'The authentication scheme (RFC 6750). It has `error="invalid_token"` when the token is not valid, and `error="invalid_request"` when `Authorization` was sent twice.',
      example: 'Bearer realm="animal-store-admin"',
    },
    Allow: { ...responseHeaders.Allow, example: 'GET, HEAD, PATCH' },
  },
  always: ['X-Request-Id', 'Cache-Control', 'X-Content-Type-Options'],
  errorBody: schemas.write(AdminErrorBody),
  errorCodes: adminErrorCodes,
});

const accountCodes = { account_not_found: undefined };
const keyCodes = { key_not_found: undefined, key_not_active: undefined };
const operatorCodes = { operator_not_found: undefined, operator_not_active: undefined };

/**
 * For each tag, the error codes that its operations never return, because the codes are about other
 * kinds of objects. For example, operations on accounts never return `key_not_found`. Without this
 * table, the document would list these codes too, because it lists all codes with the status of a
 * response.
 */
const otherCodes: Readonly<Record<string, Readonly<Record<string, undefined>>>> = {
  Accounts: { ...keyCodes, ...operatorCodes },
  Keys: { ...accountCodes, ...operatorCodes },
  Operators: { ...accountCodes, ...keyCodes },
  Usage: { ...accountCodes },
};

/**
 * Invalid values of parameters, for examples of a 400 response. If an operation has no example of
 * its own, its example uses the first of these parameters that the operation has.
 */
const refusedMembers: JsonObject = {
  keyId: 'acme',
  operatorId: 'Ann',
  bucket: 'week',
  limit: '500',
  account: '',
  search: '',
};

const changedAt = '2026-12-01T09:00:00.000Z';

/** The parts of each operation's description that its contract does not contain. */
const notes: { readonly [Name in keyof typeof adminContract]?: OperationNotes } = {
  createKey: {
    body: {
      description: 'The properties of the new key. The body may have at most 16 kB.',
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
        readOnly: {
          summary: 'A key for a web page',
          value: { name: 'catalogue page', plan: 'free', scopes: ['pets:read'] },
        },
        enterprise: {
          summary: 'An Enterprise key',
          value: {
            name: exampleKey.name,
            plan: 'enterprise',
            quota: { perMinute: 5_000, perDay: 1_000_000 },
          },
        },
      },
    },
    refused: { plan: 'gold' },
  },
  changeKey: {
    example: { ...exampleKey, plan: 'business', quota: { perMinute: 1_000, perDay: 100_000 } },
    messages: { invalid_request: adminErrorMessages.quotaMissing },
  },
  rotateKey: {
    example: {
      ...exampleIssuedKey,
      key: {
        ...exampleKey,
        tokens: [
          { prefix: 'ast_0000', createdAt: changedAt, expiresAt: null },
          {
            prefix: 'ast_9999',
            createdAt: exampleKey.createdAt,
            expiresAt: '2026-12-01T10:00:00.000Z',
          },
        ],
      },
    },
    refused: { graceSeconds: -1 },
  },
  revokeKey: { example: { ...exampleKey, state: 'revoked', revokedAt: changedAt } },
  suspendKey: { example: { ...exampleKey, state: 'suspended', suspension: exampleSuspension } },
  listAuditEntries: { refused: { action: 'key.deleted' } },
  setAccountPlan: {
    body: {
      examples: {
        plan: { summary: 'A plan with fixed limits', value: { plan: 'business' } },
        enterprise: {
          summary: 'Own limits',
          value: { plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } },
        },
        none: { summary: 'No plan', value: { plan: null } },
      },
    },
    refused: { plan: 'gold' },
  },
  suspendAccount: { example: { ...exampleAccount, suspension: exampleSuspension } },
  createOperator: { refused: { name: 'Ann', role: 'admin' } },
  rotateOperator: { refused: { graceSeconds: -1 } },
  revokeOperator: { example: { ...exampleOperator, state: 'revoked', revokedAt: changedAt } },
};

/**
 * Returns the parts of every operation's description that its contract does not contain. The
 * function completes the table `notes`, for example with the required role.
 */
function completeNotes(): Readonly<Record<keyof typeof adminContract, OperationNotes>> {
  const names = Object.keys(adminContract) as (keyof typeof adminContract)[];
  const completed = names.map((name) => {
    const route: AppRoute = adminContract[name];
    const { role } = adminRoutes[name];
    const [refused] = Object.entries(refusedMembers).filter(([member]) =>
      [route.pathParams, route.query].some((it) => it instanceof z.ZodObject && member in it.shape),
    );
    const isCounted = route.query instanceof z.ZodObject && 'count' in route.query.shape;
    const note = {
      ...(isCounted && { successHeaders: ['X-Total-Count'] as const }),
      ...(refused && { refused: Object.fromEntries([refused]) }),
      ...notes[name],
    };
    const messages = {
      ...otherCodes[adminContract[name].metadata.tag],
      forbidden: adminErrorMessages.forbidden(role),
      // If an operation has no parameter and no body that can be invalid, its example of a 400
      // response is the message about an unknown parameter.
      ...(!note.refused && { invalid_request: adminErrorMessages.parameterUnknown([]) }),
      ...note.messages,
    };
    return [name, { ...note, marks: { 'x-required-role': role }, messages }];
  });
  return Object.fromEntries(completed);
}
