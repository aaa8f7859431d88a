import { gzipSync } from 'node:zlib';
import { rawRequest } from '../support/raw-http.ts';
import { type HostileCase, type Route, request, withJson } from './hostile-request.ts';

/** Header fields, one or a few at a time. */
export function fields(route: Route): HostileCase[] {
  const lines = [
    'X-Request-Id: a%0d%0aSet-Cookie: b',
    'X-Request-Id: \u2028',
    `X-Request-Id: ${'x'.repeat(10_000)}`,
    'X-Request-Id: a\rX-Injected: yes',
    'X-Request-Id: a\nX-Injected: yes',
    'X-Request-Id: a\r\n X-Injected: yes',
    'X-Bad: \0',
    'X-Bad: \x7f\x01',
    'X-Bad: \xff\xfe',
    'X Bad: space',
    'X-Bad : space',
    ': nameless',
    'no colon',
    ' : folded',
    '__proto__: x',
    'constructor: x',
    `X-Large: ${'x'.repeat(20_000)}`,
    `Cookie: ${'a=b; '.repeat(2_000)}`,
    Array.from({ length: 500 }, (_, i) => `X-${i}: y`).join('\r\n'),
    Array.from({ length: 2_500 }, (_, i) => `X${i}:`).join('\r\n'),
    'Authorization: Bearer second',
    'Host: second.example',
    'Host: localhost',
    'Origin: https://evil.example',
    'Origin: null',
    'Origin: \xff',
    'Origin: a%0d%0ab',
    'Access-Control-Request-Method: GET',
    'Range: bytes=0-1',
    'If-Match: "x"',
    'If-None-Match: *',
    'Accept: text/html',
    'Accept-Encoding: gzip;q=1.0, *;q=0',
    'Accept-Charset: utf-16',
    'X-HTTP-Method-Override: DELETE',
    'X-Forwarded-For: \xff, ::1, 999.9.9.9',
    'X-Forwarded-Host: evil.example',
    'X-Original-URL: /admin',
    'Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'Connection: upgrade\r\nUpgrade: websocket',
    'Connection: upgrade\r\nUpgrade: h2c',
    'Connection: Authorization',
    'Expect: 100-continue',
    'Expect: the-unexpected',
    'Trailer: Authorization',
    'TE: trailers, deflate',
    'Max-Forwards: 0',
    'Idempotency-Key:',
    'Idempotency-Key: two words',
    'Idempotency-Key: \xff',
    "Idempotency-Key: ';drop/**/table/**/pets;--",
    `Idempotency-Key: ${'k'.repeat(10_000)}`,
    'Idempotency-Key: a\r\nIdempotency-Key: b',
    'Content-Length: 0\r\nContent-Length: 0',
    'Content-Length: 1\r\nContent-Length: 2',
    'Content-Length: -1',
    'Content-Length: +0',
    'Content-Length: 0x0',
    'Content-Length: 1e1',
    'Content-Length: 0, 0',
    'Content-Length: 99999999999999999999999',
    'Content-Length:',
    'Content-Length: zero',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
  ];
  const host = (line: string): Buffer =>
    rawRequest({
      line: `${route.method} ${route.path} HTTP/1.1`,
      headers: [...(line && [line]), `Authorization: Bearer ${route.token}`, 'Connection: close'],
    });
  const authorization = (value: string): Buffer =>
    rawRequest({
      line: `${route.method} ${route.path} HTTP/1.1`,
      headers: ['Host: localhost', `Authorization: ${value}`, 'Connection: close'],
    });
  return [
    ...lines.map(
      (line): HostileCase => [
        `the header ${JSON.stringify(line.slice(0, 50))}`,
        request(route, { headers: [line] }),
      ],
    ),
    ['no Host', host('')],
    ['an empty Host', host('Host:')],
    ['a Host of two words', host('Host: a b')],
    ['a Host of markup', host('Host: <script>')],
    ['a Host of brackets', host('Host: [')],
    ['a Host with a wrong port', host('Host: localhost:99999')],
    ['a huge Host', host(`Host: ${'h'.repeat(10_000)}`)],
    ['an empty Authorization', authorization('')],
    ['an Authorization of NUL', authorization('Bearer \0')],
    ['an Authorization beyond ASCII', authorization('Bearer \xff\xfe')],
    ['an Authorization of many spaces', authorization(`Bearer${' '.repeat(10_000)}x y`)],
    ['a huge Authorization', authorization(`Bearer ${'x'.repeat(15_000)}`)],
    ['an Authorization of SQL', authorization("Bearer ' or 1=1--")],
    ['an Authorization of JSON', authorization('Bearer {"$ne":null}')],
  ];
}

/** Types and codings that a body is said to have. */
export function contentTypes(route: Route): HostileCase[] {
  const body = '{"name":"Typed","categoryId":1}';
  const types = [
    'text/plain',
    'text/html',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'application/json; charset=utf-16',
    'application/json; charset=\xff',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json;;;;',
    `application/json;${'a=b;'.repeat(2_000)}`,
    `application/json; charset=${'"'.repeat(500)}`,
    'application/__proto__',
    '/',
    ';',
    '',
    '\xff/\xff',
  ];
  return [
    ...types.map(
      (type): HostileCase => [
        `the type ${JSON.stringify(type.slice(0, 40))}`,
        request(route, {
          headers: [`Content-Type: ${type}`, `Content-Length: ${body.length}`],
          body,
        }),
      ],
    ),
    ['no type', request(route, { headers: [`Content-Length: ${body.length}`], body })],
    ['two types', withJson(route, body, ['Content-Type: text/html'])],
    ['the coding gzip', withJson(route, gzipSync(body), ['Content-Encoding: gzip'])],
    ['the coding br', withJson(route, body, ['Content-Encoding: br'])],
    ['many codings', withJson(route, body, [`Content-Encoding: ${'gzip, '.repeat(1_000)}`])],
  ];
}
