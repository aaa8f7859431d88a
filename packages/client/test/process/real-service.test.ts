import { type Server, startServer } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { createTestService } from '../../src/testing/index.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer({ env: { ADMIN_TOKEN: 'an-admin-token-for-tests' } });
  return () => server[Symbol.asyncDispose]();
});

async function createKey(more: object): Promise<string> {
  const response = await fetch(`${server.opsUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer an-admin-token-for-tests',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'client', plan: 'business', ...more }),
  });
  return ((await response.json()) as { token: string }).token;
}

/**
 * The requests that the test sends to the real service and to the test service. Both start with the
 * same animals.
 */
const requests: [line: string, idempotencyKey?: string][] = [
  ...[1, 2, 3].map((n): [string] => [`POST /pets {"name":"n${n}","categoryId":3}`]),
  ['POST /pets {"name":"Tom","categoryId":9223372036854775807,"status":"sold","id":7}'],
  ['POST /pets {"name":"Mia","categoryId":3}', 'once'],
  ['POST /pets {"name":"Mia","categoryId":3}', 'once'],
  ['POST /pets {"name":"Tom","categoryId":3}', 'once'],
  ['POST /pets []'],
  ['POST /pets null'],
  ['POST /pets {"name":"","categoryId":1.5,"status":"lost"}'],
  ['POST /pets {"name":" ","categoryId":3}'],
  ['POST /pets {"name":"Mia\\u202e","categoryId":3}'],
  ['POST /pets {"name":"a\\n","categoryId":9223372036854775808}'],
  ['POST /pets {'],
  ['POST /pets'],
  // Regression: the test service ignored misspelt names, and the real service refused them.
  ['POST /pets {"name":"Mia","categoryId":3,"Status":"sold"}'],
  ['POST /pets {"name":"","category_id":3}'],
  ['GET /pets?ids[]=1'],
  ['GET /pets?category=3&limit=0'],
  ['GET /pets?filter[status]=sold&petId=3&page=2'],
  ['GET /pets'],
  ['GET /pets?limit=2&status=available&categoryId=3'],
  ['GET /pets?limit=101&status=lost'],
  ['GET /pets?limit=1e1&categoryId=03'],
  // Only one animal has this category, so the page contains exactly as many animals as the limit.
  // Neither the real service nor the test service may return a link to a next page.
  ['GET /pets?categoryId=9223372036854775807&limit=1'],
  ['GET /pets?cursor=x'],
  ['GET /pets?unknown=1'],
  ['GET /pets?ids=3,1,99,1&categoryId=3&status=available'],
  ['GET /pets?ids=3&ids=99,1'],
  ['GET /pets?ids=1&limit=5&cursor=x'],
  ['GET /pets?ids=1,x&limit=0'],
  [`GET /pets?ids=${Array.from({ length: 101 }, () => 1)}`],
  ['GET /pets/1'],
  ['GET /pets/999'],
  ['GET /pets/9223372036854775808'],
  ['PUT /pets/1'],
  ['DELETE /pets'],
  ['GET /store/orders'],
  ['POST /store/orders'],
  ['GET /nothing'],
  ['HEAD /pets'],
  ['GET /rate-limit'],
];

const comparedFields =
  'allow cache-control content-type deprecation idempotent-replayed ratelimit-policy retry-after sunset www-authenticate x-ratelimit-limit x-ratelimit-remaining';

/** Returns a response without the parts that differ between two services, such as addresses. */
async function read(response: Response) {
  const { status, headers } = response;
  const body = (await response.text())
    .replace('"plan":"business"', '"plan":"enterprise"')
    .replaceAll(/"resetsAt":"[^"]*"/g, '');
  const place = (name: string) =>
    headers.get(name)?.replaceAll(/https?:\/\/[^/]*|cursor=[^&>]*/g, '');
  const fields = comparedFields.split(' ').map((name) => [name, headers.get(name)]);
  const hasId = headers.has('x-request-id');
  return { status, body, link: place('link'), location: place('location'), fields, hasId };
}

test.each<[scopes: ('pets:read' | 'pets:write')[] | undefined, typeof requests]>([
  [undefined, requests],
  [['pets:read'], [['POST /pets {"name":"Mia","categoryId":3}']]],
  [['pets:write'], [['GET /pets'], ['GET /rate-limit']]],
])(
  'the test service responds like the real service to a key with the scopes %j',
  async (scopes, lines) => {
    const token = await createKey({ scopes });
    const store = createClient({ baseUrl: server.baseUrl, apiKey: await createKey({}) });
    const service = createTestService({ scopes, pets: await store.eachPet().toArray() });
    const { baseUrl, apiKey } = service.clientOptions;
    for (const [line, idempotencyKey] of lines) {
      const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(line) ?? [];
      const init = (key: string) => ({
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body }),
        redirect: 'manual' as const,
        signal: new AbortController().signal,
      });
      const real = await fetch(server.baseUrl + path, init(token));
      const fake = await service.clientOptions.fetch(baseUrl + path, init(apiKey));
      expect(await read(fake as Response), line).toEqual(await read(real));
    }
  },
);
