import { expect, test } from 'vitest';
import { createOpenApi } from './index.ts';

type Response = {
  headers: Record<string, unknown>;
  content?: Record<string, { examples?: Record<string, { value: { message: string } }> }>;
};
type Operation = { responses: Record<string, Response> };

const { paths } = createOpenApi() as { paths: Record<string, Record<string, Operation>> };
const responses = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    Object.entries(operation.responses).map(
      ([status, response]) => [`${method} ${path} ${status}`, status, response] as const,
    ),
  ),
);

test.each(responses)('%s documents every header that it carries', (name, status, { headers }) => {
  const own: Record<string, string[]> = {
    401: ['WWW-Authenticate'],
    403: ['WWW-Authenticate'],
    405: ['Allow'],
    409: ['Retry-After'],
    429: ['Retry-After'],
    503: ['Retry-After'],
  };
  const isDeprecated = name.includes('{petId}') && status !== '405';
  const optional: Record<string, string[]> = {
    'get /pets 200': ['Link'],
    'post /pets 201': ['Location', 'Idempotent-Replayed'],
  };
  expect(Object.keys(headers).sort()).toEqual(
    [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit-Policy',
      'RateLimit',
      'X-Request-Id',
      'Cache-Control',
      'X-Content-Type-Options',
      ...(own[status] ?? []),
      ...(isDeprecated ? ['Deprecation', 'Sunset', 'Link'] : []),
      ...(optional[name] ?? []),
    ].sort(),
  );
});

test.each([
  ['get', '/pets', 'pets:read'],
  ['post', '/pets', 'pets:write'],
  ['get', '/pets/{petId}', 'pets:read'],
  ['get', '/rate-limit', 'pets:read'],
  ['get', '/store/orders', 'pets:read'],
])('%s %s names the scope that it needs, and its 403 does', (method, path, scope) => {
  const operation = paths[path]?.[method] as Operation & Record<string, unknown>;
  expect(operation['x-required-scope']).toBe(scope);
  const { headers, content } = operation.responses['403'] ?? {};
  // Only one of the two codes comes with a challenge.
  expect(headers?.['WWW-Authenticate']).toEqual({ $ref: '#/components/headers/ScopeChallenge' });
  const { examples } = content?.['application/json'] ?? {};
  expect(Object.keys(examples ?? {})).toEqual(['insufficient_scope', 'key_suspended']);
  expect(examples?.['insufficient_scope']?.value.message).toContain(`the scope ${scope}.`);
});

test.each(Object.keys(paths))('the 405 of %s names the methods that it has', (path) => {
  const methods = Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase());
  const expected = ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET')];
  for (const { responses } of Object.values(paths[path] ?? {})) {
    const { examples } = responses['405']?.content?.['application/json'] ?? {};
    expect(examples?.['method_not_allowed']?.value.message).toBe(
      `method: expected one of ${expected.join(', ')}`,
    );
  }
});
