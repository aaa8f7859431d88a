import { afterAll, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { expectErrorBody, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { logOf } from '../support/observed.ts';
import { type RawBytes, type RawOptions, rawRequest, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/test-service.ts';
import { holdConversations } from '../wire/wire-fuzz.ts';

// What listeners do with connections: listener.test.ts.

const service = useService('postgres', {
  env: { ADMIN_TOKEN: adminToken, ADDRESS_PER_MINUTE: '1000000' },
});

/** Inputs by the answer that they get: a status and a message, or the source of a RegExp of both. */
type Table<Input> = Readonly<Record<string, readonly Input[]>>;

/** How many animals were created. */
let created = 0;
// What was refused has created nothing.
afterAll(async () => {
  expect((await listAll(service.server, service.tokens.enterprise)).size).toBe(created);
});

type Rest = RawOptions & { readonly headers?: readonly string[]; readonly body?: RawBytes };

/**
 * Sends a request with a valid key. Node answers what is no HTTP by itself, without a body: `400 by Node`.
 */
async function expectAnswer(answer: string, line: string, rest: Rest = {}): Promise<void> {
  const { headers = [], body = '', ...options } = rest;
  const authorization = `Authorization: Bearer ${service.tokens.enterprise}`;
  const request = rawRequest({ line, headers: [...headers, authorization], body });
  const answers = await sendRaw(service.server.origin, request, options);
  const shown = answers.map((each) => {
    const { status, text, headers } = each;
    if (!headers.has('X-Request-Id')) return text === '' ? `${status} by Node` : text;
    for (const name of ['X-Injected', 'Set-Cookie', 'Content-Encoding']) {
      expect(headers.has(name)).toBe(false);
    }
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    if (/^[A-Z]+ \/v1\//.test(line)) expectResponseHeaders(each);
    if (status === 201) created += 1;
    if (status < 400) return `${status}`;
    expectErrorBody(each);
    return `${status} ${(each.body as { message: string }).message}`;
  });
  expect(shown).toEqual([answer.startsWith('^') ? expect.stringMatching(answer) : answer]);
}

const get = 'GET /v1/pets HTTP/1.1';
const post = 'POST /v1/pets HTTP/1.1';

const petId = '400 petId: expected a 64-bit integer, got';

// What values may be: the tests of the contract, and the fuzzer in conformance/.
const targets: Table<string> = {
  200: [
    '/v1/pets?limit=1#limit=0',
    '/v1/pets?"<>^`{|}\\',
    '/v1/pets?%ff=%ff&%=%00&__proto__[x]=0&constructor=x&a[b][c]=d&page[]=9&offset=1',
    // RFC 9112, §3.2.2: the absolute form is a path, whatever its host.
    ...['https://u:p@localhost/v1/pets', 'ftp://a/v1/pets'],
    // `url.parse`, which Express would call, throws for some of these.
    ...['http://[/v1/pets', 'http:///v1/pets', 'http://%ff/v1/pets', 'http://a:port/v1/pets'],
    // RFC 3986, §6.2.2.2: percent-encoded letters.
    ...['/v1/%70%65%74%73?ids=1', '/v1/r%61te%2Dlimit', '/%761/pets?ids=1'],
  ],
  '404 There is no such path.': [
    ...['*', '//a@[#', '//a@b/v1/pets#', `/v1/${'a/'.repeat(4_000)}`],
    ...['/v1', '/v1/', '/v1/pets/', '/v1//pets', '/v1/pets/1/2', '/v1/Pets', '/v1/constructor'],
    ...['/v2/pets', '/V1/pets', '//v1/pets'],
    // Neither resolved to another path, nor decoded further than letters.
    ...['/x/../v1/pets', '/v1/pets/%2e%2e/pets', '/v1/%50ets', '/v1/p%2565ts', '/v1/pets%2F1'],
    ...['/v1/pets%3Fids=1', '/v1/pets;a=b', '/v1/nowhere/%ff'],
  ],
  '404 There is no such path. The API is under /v1.': ['/', 'http://localhost?x=/v1'],
  // Express fails while it matches such a path, before any step of the route.
  '400 path: expected valid percent-encoding of UTF-8': [
    ...['%', '%zz', '%c0%80', '%ed%a0%80'].map((it) => `/v1/pets/${it}?limit=%ff`),
  ],
  [`${petId} "1/2"`]: ['/v1/pets/1%2F2'],
  [`${petId} "\\r\\nX-Injected: a"`]: ['/v1/pets/%0d%0aX-Injected:%20a'],
  [`${petId} "${'9'.repeat(39)}…`]: [`/v1/pets/${'9'.repeat(10_000)}`],
  '400 limit: expected one integer from 1 to 100, got "0"': [
    `/v1/pets?${'a&'.repeat(4_000)}limit=0`,
  ],
  '^400 status: expected under exactly this name, got "Status"; limit: .*, got "\ufffd"$': [
    '/v1/pets?Status=sold&limit=%ff',
  ],
  '400 ids: expected under exactly this name: send ids=5,11 or ids=5&ids=11, got "ids[]"': [
    '/v1/pets?ids%5B%5D=1&ids[]=2',
  ],
  '431 by Node': [`/v1/${'a'.repeat(20_000)}`],
  '400 by Node': ['a:80', 'v1/pets', '/\xff', '/\0', '/a b', ''],
};

const many = (times: number) => Array.from({ length: times }, (_, i) => `X${i}: x`);

const heads: Table<readonly string[]> = {
  200: [
    ['GET /v1/pets HTTP/1.0'],
    ...['', ' [', ' a b', ' a:99999', ` ${'h'.repeat(10_000)}`].map((host) => [
      get,
      `Host:${host}`,
    ]),
    // And the one for the key.
    [get, 'Host: a', ...many(98)],
    [get, 'Host: a', '__proto__: x', 'X-Odd: \xff', 'X-Forwarded-For: \xff, 999.9.9.9'],
    [get, 'Host: a', 'Origin: \xff', 'TE: deflate', 'X-Original-URL: /admin'],
    // A response is whole, plain JSON.
    [get, 'Host: a', 'Accept-Encoding: gzip, br', 'Accept: text/html', 'If-None-Match: *'],
    [get, 'Host: a', 'Range: bytes=0-1', 'Accept: application/json;q=0', 'Content-Type: a/b'],
  ],
  '400 by Node': [
    ...['GET /v1/pets HTTP/1.2', 'get /v1/pets HTTP/1.1', 'PRI * HTTP/2.0'].map((line) => [
      line,
      'Host: a',
    ]),
    ['PROXY TCP4 1.1.1.1 2.2.2.2 1 2', get, 'Host: a'],
    ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    [get],
    ...['X: \0', 'X: a\rX-Injected: b', 'X : a', ': a', 'no colon'].map((line) => [
      get,
      'Host: a',
      line,
    ]),
  ],
  '417 by Node': [[get, 'Host: a', 'Expect: the-unexpected']],
  '431 by Node': [
    [get, 'Host: a', ...many(99)],
    [get, 'Host: a', `X: ${'x'.repeat(17_000)}`],
  ],
};

const rex = '{"name":"Rex","categoryId":1}';
const chunk = `${rex.length.toString(16)}\r\n${rex}\r\n`;
const end = '0\r\n\r\n';
const chunked = 'Transfer-Encoding: chunked';
const length = `Content-Length: ${rex.length}`;

type Framed = readonly [framing: string, body: string];

// A proxy may see another end of such a body, and so other requests behind it (request smuggling).
const framings: Table<Framed> = {
  201: [
    [length, rex],
    [chunked, [...rex].map((c) => `1\r\n${c}\r\n`).join('') + end],
    [chunked, `${chunk.replace('\r', ';a="b"\r')}${end}`],
    [chunked, `${chunk}0\r\nHost: evil\r\nAuthorization: x\r\n\r\n`],
  ],
  '400 by Node': [
    ...['-1', '0x1', '1, 1', '9'.repeat(23), '', 'x', '0\r\nContent-Length: 0'].map(
      (value): Framed => [`Content-Length: ${value}`, rex],
    ),
    ...['gzip', 'xchunked', 'chunked, identity', `chunked\r\n${chunked}`].map(
      (coding): Framed => [`Transfer-Encoding: ${coding}`, chunk + end],
    ),
    [`${length}\r\n${chunked}`, chunk + end],
    ...['zz', '', '-1', 'F'.repeat(17)].map(
      (size): Framed => [chunked, `${size}\r\nabc\r\n${end}`],
    ),
    [chunked, `3\r\nabcdef\r\n${end}`],
    [chunked, (chunk + end).replaceAll('\r', '')],
    // Cut short:
    [chunked, chunk],
    ['Content-Length: 99', rex],
  ],
  '413 by Node': [[chunked, chunk.replace('\r', `;${'a'.repeat(20_000)}\r`)]],
  '431 by Node': [[chunked, `${chunk}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
  // Refused before the rest of it arrives.
  '413 body: expected at most 16384 bytes': [
    ['Content-Length: 1000000000', ''],
    [chunked, `1000\r\n${' '.repeat(4_096)}\r\n`.repeat(5)],
  ],
};

const json = (members: string) => `{"name":"Rex",${members}}`;
const name = 'name: expected 1 to 255 characters, without control characters and lone surrogates';
const secret = '0000000000000000000000000000002C8GjS';

const bodies: Table<RawBytes> = {
  201: [
    rex + ' '.repeat(16_384 - rex.length),
    Buffer.from(`\ufeff${rex}`),
    json(`"categoryId":1,"x":${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    json(`"categoryId":1${'0'.repeat(8_000)}e-${'0'.repeat(4_000)}8000`),
    json('"categoryId":1,"toString":1,"then":5,"constructor":{"prototype":{}},"__proto__":null'),
  ],
  '400 body: expected valid JSON in UTF-8': [
    ...[' ', `${rex} x`, '<pet/>', 'name=Rex', '['.repeat(10_000)],
    ...['\xff', '\xc3', '\xc0\x80', '\xed\xa0\x80', '\n', '\\u12'].map((bytes) =>
      rex.replace('Rex', bytes),
    ),
    Buffer.from(`\ufeff\ufeff${rex}`),
    Buffer.from(`\ufeff${rex}`, 'utf16le'),
  ],
  '400 body: expected JSON that nests less deeply': [
    json(`"categoryId":1,"x":${'['.repeat(4_000)}${']'.repeat(4_000)}`),
  ],
  '400 body: expected a JSON object with name and categoryId, got nothing': [''],
  // What is shown is as it was sent, cannot look like another message, is no token, and is cut.
  '400 categoryId: expected a 64-bit integer, got -1E+400': [json('"categoryId":-1E+400')],
  '400 categoryId: expected a 64-bit integer, got "x"': [json('"categoryId":1,"categoryId":"x"')],
  [`400 ${name}, got "a\\u0000\\ud800"`]: ['{"name":"a\\u0000\\ud800","categoryId":1}'],
  [`400 ${name}, got "${'🐕'.repeat(19)}\ufffd…`]: [
    Buffer.from(`{"name":"${'🐕'.repeat(256)}","categoryId":1}`),
  ],
  '400 status: expected one of available, pending, sold, got "ast_…"': [
    json(`"categoryId":1,"status":"ast_${secret}"`),
  ],
  // Nor is a part of one that is cut where reading ends.
  '400 status: expected one of available, pending, sold, got "ast_… …"': [
    json(`"categoryId":1,"status":"ast_${secret} ${secret} ${secret} ${secret}"`),
  ],
  // A kilobyte, as `expectErrorBody` says.
  '^400 categoryId: .{950,}…$': [
    json(
      `"categoryId":1,${Array.from({ length: 40 }, (_, i) => `"category_id${'_'.repeat(i)}":1`)}`,
    ),
  ],
  '413 body: expected at most 16384 bytes': [
    rex + ' '.repeat(16_385 - rex.length),
    // In characters, it is not too long.
    Buffer.from(`"${'🐕'.repeat(4_096)}"`),
    // The client is still sending when the answer comes.
    ' '.repeat(1_000_000),
  ],
};

const types: Table<string> = {
  201: [
    ...['Application/JSON', 'application/json; charset="utf-8"', 'application/json; charset=utf8'],
    ...['application/json; profile="x"', 'application/json;;;;'],
    'application/json\r\nContent-Encoding: identity',
  ],
  '415 Content-Type: expected application/json, in UTF-8': [
    ...['text/plain', 'application/jsonp', 'application/json-patch+json', '*/*', '', '\xff/\xff'],
    ...['application/json, text/plain', 'application/json; charset=utf-16'],
  ],
  '415 Content-Encoding: expected none': [
    ...['gzip', 'identity, gzip', 'gzip, '.repeat(1_000)].map(
      (coding) => `application/json\r\nContent-Encoding: ${coding}`,
    ),
  ],
};

const ofJson = (framing: string) => ['Host: a', 'Content-Type: application/json', framing];

/** Sends each input of a table, and expects the answer that it stands under. */
function testTable<Input>(
  what: string,
  table: Table<Input>,
  toRequest: (input: Input, answer: string) => [line: string, rest: Rest],
): void {
  const rows = Object.entries(table).flatMap(([answer, inputs]) =>
    inputs.map((input) => [JSON.stringify(String(input).slice(0, 70)), answer, input] as const),
  );
  test.each(rows)(`${what} %s is answered with %s`, async (_shown, answer, input) => {
    await expectAnswer(answer, ...toRequest(input as Input, answer));
  });
}

testTable('the target', targets, (target) => [`GET ${target} HTTP/1.1`, { headers: ['Host: a'] }]);
testTable('the head', heads, ([line = '', ...headers]) => [line, { headers }]);
// Nothing follows, so what is cut short gets an answer, too.
testTable('a body of', framings, ([framing, body], answer) => [
  post,
  { headers: ofJson(framing), body, halfClose: answer.endsWith('by Node') },
]);
testTable('the body', bodies, (body) => [
  post,
  { headers: ofJson(`Content-Length: ${body.length}`), body },
]);
testTable('a body of the type', types, (type) => [
  post,
  { headers: ['Host: a', `Content-Type: ${type}`, length], body: rex },
]);

// The campaign `wire` holds others, and looks at the memory, too.
test('whatever clients do to their connections harms nobody', async () => {
  const { server, tokens } = service;
  await holdConversations({ server, token: tokens.enterprise, seed: 1, connections: 40 });
  expect((await service.call('/pets')).status).toBe(200);
  expect((await fetch(`${server.opsUrl}/livez`)).status).toBe(200);
  expect(logOf(server).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(server.output()).not.toContain('Warning');
});
