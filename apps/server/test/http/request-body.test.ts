import { describe, expect, test } from 'vitest';
import { expectError } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import { useSharedService } from '../support/shared-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const { service } = useSharedService();

const raw = (line: string, headers?: readonly string[], body?: string) =>
  sendRawRequest(service, { line, headers, body });
const post = (headers: readonly string[], body: string) =>
  raw('POST /v1/pets HTTP/1.1', [...headers, `Content-Length: ${Buffer.byteLength(body)}`], body);
const petCount = async () => (await listAll(service.server, service.tokens.enterprise)).size;

describe('413', () => {
  const padded = (bytes: number) => rex + ' '.repeat(bytes - rex.length);
  const json = 'Content-Type: application/json';

  test('16 kB are accepted', async () => {
    expect((await post([json], padded(16_384))).status).toBe(201);
  });

  test('one byte more is refused and creates nothing', async () => {
    const before = await petCount();
    expectError(await post([json], padded(16_385)), 413, 'payload_too_large', /16384 bytes/);
    expect(await petCount()).toBe(before);
  });

  test('the limit counts bytes, not characters', async () => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1, note: '🐕'.repeat(4_096) });
    const answer = await service.call('/pets', { json: body });
    expectError(answer, 413, 'payload_too_large');
  });

  test('a Content-Length that is too large is refused before the body arrives', async () => {
    const answer = await raw('POST /v1/pets HTTP/1.1', [json, 'Content-Length: 1000000000']);
    expectError(answer, 413, 'payload_too_large');
  });

  test('a chunked body is refused once it is too large', async () => {
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const answer = await raw(
      'POST /v1/pets HTTP/1.1',
      [json, 'Transfer-Encoding: chunked'],
      chunk.repeat(5),
    );
    expectError(answer, 413, 'payload_too_large');
  });

  test('a client that is still sending can read the response', async () => {
    const answer = await service.call('/pets', { json: padded(1_000_000) });
    expectError(answer, 413, 'payload_too_large');
  });
});

describe('415', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; profile="x"',
  ])('%s is JSON', async (type) => {
    expect((await post([`Content-Type: ${type}`], rex)).status).toBe(201);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'application/jsonp',
    'application/json-patch+json',
    'application',
    'json',
    '*/*',
    '',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
  ])('%j is not JSON', async (type) => {
    const before = await petCount();
    const answer = await post([`Content-Type: ${type}`], rex);
    expectError(answer, 415, 'unsupported_media_type', /^Content-Type: expected application\/json/);
    expect(await petCount()).toBe(before);
  });

  test('a body without Content-Type is refused', async () => {
    expectError(await post([], rex), 415, 'unsupported_media_type', /^Content-Type: /);
  });

  test.each(['gzip', 'deflate', 'br', 'x-unknown', 'identity, gzip'])(
    'the content encoding %s is refused',
    async (encoding) => {
      const headers = ['Content-Type: application/json', `Content-Encoding: ${encoding}`];
      const answer = await post(headers, rex);
      expectError(answer, 415, 'unsupported_media_type', /^Content-Encoding: expected none/);
    },
  );

  test('the content encoding identity is accepted', async () => {
    const headers = ['Content-Type: application/json', 'Content-Encoding: identity'];
    expect((await post(headers, rex)).status).toBe(201);
  });

  test('a missing body is 400, with or without Content-Type', async () => {
    const typed = await post(['Content-Type: application/json'], '');
    expectError(typed, 400, 'invalid_request', /^body: expected a JSON object/);
    expectError(await post([], ''), 400, 'invalid_request', /^body: expected a JSON object/);
    expectError(await raw('POST /v1/pets HTTP/1.1'), 400, 'invalid_request', /^body: /);
  });

  test('the response is JSON whatever the Accept header', async () => {
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', '*/*;q=0', 'x']) {
      const answer = await service.call('/pets/999', { headers: { Accept: accept } });
      expectError(answer, 404, 'pet_not_found');
    }
  });

  test('a body on GET is ignored', async () => {
    const answer = await raw('GET /v1/pets?limit=1 HTTP/1.1', ['Content-Length: 1'], '{');
    expect(answer.status).toBe(200);
  });
});
