// This module contains hostile inputs that do not concern the content of JSON: request targets,
// headers, and the bytes of bodies. In these strings, each character is one byte (Latin-1).

/**
 * A table of inputs, grouped by the expected response. A response is a status and a message, or the
 * source of a regular expression for both.
 */
export type Table<Input> = Readonly<Record<string, readonly Input[]>>;

const get = 'GET /v1/pets HTTP/1.1';

const petId = '400 petId: expected a 64-bit integer, got';

// This table contains hostile request targets. The tests of the contract and the fuzzer in
// `conformance/` test the values of parameters.
export const targets: Table<string> = {
  200: [
    '/v1/pets?limit=1#limit=0',
    '/v1/pets?"<>^`{|}\\',
    '/v1/pets?%ff=%ff&%=%00&__proto__[x]=0&constructor=x&a[b][c]=d&page[]=9&offset=1',
    // A target in absolute form is reduced to its path, whatever its host is (RFC 9112, §3.2.2).
    ...['https://u:p@localhost/v1/pets', 'ftp://a/v1/pets'],
    // Express would use Node's function `url.parse`, which throws an error for some of these
    // targets.
    ...['http://[/v1/pets', 'http:///v1/pets', 'http://%ff/v1/pets', 'http://a:port/v1/pets'],
    // Percent-encoded letters are decoded (RFC 3986, §6.2.2.2).
    ...['/v1/%70%65%74%73?ids=1', '/v1/r%61te%2Dlimit', '/%761/pets?ids=1'],
  ],
  '404 There is no such path.': [
    ...['*', '//a@[#', '//a@b/v1/pets#', `/v1/${'a/'.repeat(4_000)}`],
    ...['/v1', '/v1/', '/v1/pets/', '/v1//pets', '/v1/pets/1/2', '/v1/Pets', '/v1/constructor'],
    ...['/v2/pets', '/V1/pets', '//v1/pets'],
    // The service does not resolve `..` in these paths. It decodes only letters, digits and a few
    // other characters in them.
    ...['/x/../v1/pets', '/v1/pets/%2e%2e/pets', '/v1/%50ets', '/v1/p%2565ts', '/v1/pets%2F1'],
    ...['/v1/pets%3Fids=1', '/v1/pets;a=b', '/v1/nowhere/%ff'],
  ],
  '404 There is no such path. The API is under /v1.': ['/', 'http://localhost?x=/v1'],
  // For these paths, Express would fail while it looks for the route, and before it calls any
  // middleware of the route.
  '400 path: expected valid percent-encoding of UTF-8': [
    ...['%', '%zz', '%c0%80', '%ed%a0%80'].map((it) => `/v1/pets/${it}?limit=%ff`),
  ],
  [`${petId} "1/2"`]: ['/v1/pets/1%2F2'],
  [`${petId} "\\r\\nX-Injected: a"`]: ['/v1/pets/%0d%0aX-Injected:%20a'],
  [`${petId} "${'9'.repeat(39)}…`]: [`/v1/pets/${'9'.repeat(10_000)}`],
  '400 limit: expected one integer from 1 to 100, got "0"': [
    `/v1/pets?${'a&'.repeat(4_000)}limit=0`,
  ],
  '^400 status: expected exactly this name, got "Status"; limit: .*, got "\ufffd"$': [
    '/v1/pets?Status=sold&limit=%ff',
  ],
  '400 ids: expected exactly this name: send ids=5,11 or ids=5&ids=11, got "ids[]"': [
    '/v1/pets?ids%5B%5D=1&ids[]=2',
  ],
  '431 by Node': [`/v1/${'a'.repeat(20_000)}`],
  '400 by Node': ['a:80', 'v1/pets', '/\xff', '/\0', '/a b', ''],
};

const many = (times: number) => Array.from({ length: times }, (_, i) => `X${i}: x`);

export const requestHeads: Table<readonly string[]> = {
  200: [
    ['GET /v1/pets HTTP/1.0'],
    ...['', ' [', ' a b', ' a:99999', ` ${'h'.repeat(10_000)}`].map((host) => [
      get,
      `Host:${host}`,
    ]),
    // The hundredth header contains the API key. The server reads at most a hundred headers.
    [get, 'Host: a', ...many(98)],
    [get, 'Host: a', '__proto__: x', 'X-Odd: \xff', 'X-Forwarded-For: \xff, 999.9.9.9'],
    [get, 'Host: a', 'Origin: \xff', 'TE: deflate', 'X-Original-URL: /admin'],
    // These headers ask for a part of the response, for another format or for compression. The
    // service ignores them, and sends complete, uncompressed JSON.
    [get, 'Host: a', 'Accept-Encoding: gzip, br', 'Accept: text/html', 'If-None-Match: *'],
    [get, 'Host: a', 'Range: bytes=0-1', 'Accept: application/json;q=0', 'Content-Type: a/b'],
  ],
  '400 by Node': [
    ['PRI * HTTP/2.0', 'Host: a'],
    ['PROXY TCP4 1.1.1.1 2.2.2.2 1 2', get, 'Host: a'],
    ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    [get],
    ...['X: \0', 'X: a\rX-Injected: b', 'X : a'].map((line) => [get, 'Host: a', line]),
  ],
  '417 by Node': [[get, 'Host: a', 'Expect: the-unexpected']],
  '431 by Node': [
    [get, 'Host: a', ...many(99)],
    [get, 'Host: a', `X: ${'x'.repeat(17_000)}`],
  ],
};

export const rex = '{"name":"Rex","categoryId":1}';
const chunk = `${rex.length.toString(16)}\r\n${rex}\r\n`;
const end = '0\r\n\r\n';
const chunked = 'Transfer-Encoding: chunked';
const length = `Content-Length: ${rex.length}`;

export type Framed = readonly [framing: string, body: string];

// These requests describe the end of their body in unusual ways. If a proxy and the server disagree
// about where a body ends, an attacker can hide a second request in the body (request smuggling).
export const framings: Table<Framed> = {
  201: [
    [length, rex],
    [chunked, [...rex].map((c) => `1\r\n${c}\r\n`).join('') + end],
    [chunked, `${chunk.replace('\r', ';a="b"\r')}${end}`],
    ['transfer-encoding:  Chunked ', chunk + end],
    [chunked, `${chunk}0\r\nHost: evil\r\nAuthorization: x\r\n\r\n`],
  ],
  '400 by Node': [
    ['Content-Length: 1, 1', rex],
    ['Content-Length: 1\r\nContent-Length: 1', rex],
    ['Transfer-Encoding: chunked, identity', chunk + end],
    ['Transfer-Encoding: gzip, chunked', chunk + end],
    ['Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', chunk + end],
    [`${length}\r\n${chunked}`, chunk + end],
    [chunked, `-1\r\nabc\r\n${end}`],
    [chunked, `3\r\nabcdef\r\n${end}`],
    [chunked, (chunk + end).replaceAll('\r', '')],
    // These bodies end too early: the last chunk or most of the announced bytes are missing.
    [chunked, chunk],
    ['Content-Length: 99', rex],
  ],
  '413 by Node': [[chunked, chunk.replace('\r', `;${'a'.repeat(20_000)}\r`)]],
  '431 by Node': [[chunked, `${chunk}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
  // The server refuses these requests before the rest of the body arrives.
  '413 body: expected at most 16384 bytes': [
    ['Content-Length: 1000000000', ''],
    [chunked, `1000\r\n${' '.repeat(4_096)}\r\n`.repeat(5)],
  ],
};
