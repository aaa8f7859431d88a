import { expect, test } from 'vitest';
import { finishedRequest } from '../test/finished-request.ts';
import { nameOfRequest, requestAttributes } from './request-attributes.ts';
import type { RequestRecord, TracedRequest } from './request-record.ts';

const request: TracedRequest = {
  headers: { 'user-agent': 'curl/8.5.0' },
  baseUrl: '/v1',
  path: '/pets/7',
  protocol: 'http',
  httpVersion: '1.1',
  ip: '203.0.113.9',
};
const record = finishedRequest;

test('requestAttributes returns the attributes that OpenTelemetry requires and recommends for HTTP servers', () => {
  expect(requestAttributes(request, record)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v1/pets/:petId',
    'http.response.status_code': 200,
    'url.path': '/v1/pets/7',
    'url.scheme': 'http',
    'network.protocol.version': '1.1',
    'client.address': '203.0.113.9',
    'user_agent.original': 'curl/8.5.0',
    'animal_store.request_id': 'one',
  });
});

const token = `ast_${'a'.repeat(30)}zzzzzz`;

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['unknown', undefined],
  [token, undefined],
  [undefined, undefined],
])(
  'requestAttributes converts the address %s of a request to the attribute client.address=%s',
  (ip, shown) => {
    expect(requestAttributes({ ...request, ip }, record)['client.address']).toBe(shown);
  },
);

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101',
    'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101',
  ],
  ['animal-store-client/1.0.0', 'animal-store-client/1.0.0'],
  [`curl/8.5.0 ${token}`, expect.not.stringContaining(token)],
  [`a/1${'x'.repeat(1_000)}`, `a/1${'x'.repeat(253)}`],
  // The span does not contain these values, because a caller may have put a secret into the wrong
  // header.
  ['cAnArY0123456789', undefined],
  [token, undefined],
  ['curl/8.5.0 \u00e9', undefined],
  [undefined, undefined],
])(
  'requestAttributes converts the header User-Agent: %s to the attribute user_agent.original=%s',
  (userAgent, shown) => {
    const headers = { 'user-agent': userAgent };
    expect(requestAttributes({ ...request, headers }, record)['user_agent.original']).toEqual(
      shown,
    );
  },
);

test.each<[string, Partial<RequestRecord>, string, Record<string, unknown>]>([
  [
    'an unknown method',
    { method: 'PROPFIND' },
    'HTTP /v1/pets/:petId',
    {
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    },
  ],
  [
    'an unknown path',
    { route: undefined, status: 404, errorCode: 'not_found' },
    'GET',
    {
      'url.path': '/REDACTED',
      'animal_store.error_code': 'not_found',
      'error.type': undefined,
    },
  ],
  [
    'an internal failure',
    { status: 500, errorCode: 'internal_error' },
    'GET /v1/pets/:petId',
    {
      'error.type': 'internal_error',
    },
  ],
  ['a failure without a code', { status: 503 }, 'GET /v1/pets/:petId', { 'error.type': '503' }],
])(
  'nameOfRequest and requestAttributes describe the span of a request with %s',
  (_, more, name, attributes) => {
    const changed = { ...record, ...more };
    expect(nameOfRequest(changed)).toBe(name);
    expect(requestAttributes(request, changed)).toMatchObject(
      Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
    );
    for (const [attribute, value] of Object.entries(attributes)) {
      if (value === undefined)
        expect(requestAttributes(request, changed)).not.toHaveProperty([attribute]);
    }
  },
);
