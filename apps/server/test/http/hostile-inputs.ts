import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type RawBytes, type RawOptions, rawRequest } from '../support/raw-http.ts';

/** Bytes that nobody means well with, and what may become of them. */
export type HostileInput = RawOptions & {
  readonly title: string;
  readonly bytes: Buffer;
  /** The target is not under `/v1`, so the answer tells of no quota. */
  readonly outside?: boolean;
  /** There is no request in it to answer. */
  readonly mayHangUp?: boolean;
};

type Route = { readonly method: string; readonly path: string; readonly token: string };

type Case = readonly [
  title: string,
  bytes: Buffer,
  options?: Omit<HostileInput, 'title' | 'bytes'>,
];

/** Hostile inputs for a route: its path as a target of the request line, `/v1` included. */
export function hostileInputs(route: Route): HostileInput[] {
  return [
    ...methods(route),
    ...paths(route),
    ...queries(route),
    ...fields(route),
    ...contentTypes(route),
    ...bodies(route),
    ...framings(route),
    ...protocols(route),
  ].map(([title, bytes, options]) => ({ title, bytes, ...options }));
}

/** A request that is in order but for what is given. */
function request(
  { method, path, token }: Route,
  change: {
    readonly line?: string;
    readonly headers?: readonly string[];
    readonly body?: RawBytes;
  } = {},
): Buffer {
  return rawRequest({
    line: change.line ?? `${method} ${path} HTTP/1.1`,
    headers: [
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Connection: close',
      ...(change.headers ?? []),
    ],
    ...(change.body !== undefined && { body: change.body }),
  });
}

function withJson(route: Route, body: RawBytes, headers: readonly string[] = []): Buffer {
  return request(route, {
    headers: ['Content-Type: application/json', `Content-Length: ${body.length}`, ...headers],
    body,
  });
}

function methods(route: Route): Case[] {
  const invented = ['FOO', 'get', 'GETT', 'G@T', 'G'.repeat(5_000), 'GET\0', '', '%47ET', '<GET>'];
  return [...METHODS, ...invented].map((method) => [
    `the method ${JSON.stringify(method.slice(0, 20))}`,
    request({ ...route, method }),
    { mayHangUp: method === 'CONNECT' },
  ]);
}

function paths(route: Route): Case[] {
  const suffixes = [
    '/',
    '//',
    '/%ff',
    '/%00',
    '/%',
    '/%2',
    '/%zz',
    '/%c0%80',
    '/%ed%a0%80',
    '/%2e%2e',
    '/..',
    '/../../../etc/passwd',
    '%2f1',
    '/\\',
    '/%5c',
    ';a=b',
    '.json',
    '%20',
    '%0d%0aX-Injected:%20yes',
    "/'%20or%201=1--",
    '/__proto__',
    '/constructor',
    '/9007199254740993',
    '/9223372036854775808',
    '/1e400',
    '/-0',
    '/NaN',
    `/${'9'.repeat(10_000)}`,
    `/${'a/'.repeat(4_000)}`,
    '/<script>alert(1)</script>',
    '/%3Cscript%3E',
    '/{petId}',
    '/:petId',
    '/*',
    '#fragment',
    '/@[',
    '/\xf0\x9f\x90\x95',
    '/\xff',
  ];
  return [
    ...suffixes.map((suffix): Case => {
      const path = route.path + suffix;
      return [`the path …${JSON.stringify(suffix.slice(0, 40))}`, request({ ...route, path })];
    }),
    ['// before the path', request({ ...route, path: `/${route.path}` }), { outside: true }],
    ['// within the path', request({ ...route, path: route.path.replace('/v1/', '/v1//') })],
    [
      '%76 for v',
      request({ ...route, path: route.path.replace('/v1', '/%761') }),
      { outside: true },
    ],
    ['/V1', request({ ...route, path: route.path.replace('/v1', '/V1') }), { outside: true }],
    ['.. out of /v1', request({ ...route, path: route.path.replace('/v1', '/v1/..') })],
    ['.. into /v1', request({ ...route, path: `/x/..${route.path}` }), { outside: true }],
  ];
}

function queries(route: Route): Case[] {
  const texts = [
    '',
    '?',
    '&&&&',
    'limit',
    'limit=',
    '=1',
    '=',
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=9007199254740993',
    'limit=9223372036854775808',
    'limit=1e400',
    'limit=NaN',
    'limit=Infinity',
    'limit=1.5',
    'limit=0x1',
    'limit=%ff',
    'limit=%00',
    'limit=%',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[$gt]=0',
    'limit[__proto__]=1',
    '%ff=%ff',
    '%00=%00',
    '__proto__=x',
    '__proto__[limit]=1',
    '__proto__.limit=1',
    'constructor=x',
    'constructor[prototype][limit]=1',
    'toString=x&hasOwnProperty=y&valueOf=z',
    'status=__proto__',
    'status=toString',
    'status=sold%00',
    'status=sold&status=sold',
    'status[]=sold',
    'status[$ne]=sold',
    "status=sold'%20or%20'1'='1",
    'limit=1;drop%20table%20pets',
    "cursor='%20or%201=1--",
    'cursor=',
    'cursor=%00',
    'cursor=%ff%fe',
    'cursor=__proto__',
    'cursor=..%2f..%2f',
    'cursor=a&cursor=b',
    'cursor[]=a',
    `cursor=${'A'.repeat(8_000)}`,
    `limit=${'9'.repeat(8_000)}`,
    `status=${'%F0%9F%90%95'.repeat(600)}`,
    `x=${'a'.repeat(8_000)}`,
    `${'a&'.repeat(4_000)}limit=0`,
    `${'limit=1&'.repeat(1_000)}limit=1`,
    `a${'[b]'.repeat(2_000)}=c`,
    'limit=1%0d%0aSet-Cookie:%20a=b',
    'callback=alert',
    'format=html',
    '_method=DELETE',
    'limit=%D9%A1',
    'limit=+1',
    'limit=1#limit=2',
    '"<>^`{|}\\',
    '\xff\xfe',
    '%u0031',
  ];
  return texts.map((query) => [
    `the query ${JSON.stringify(query.slice(0, 40))}`,
    request({ ...route, path: `${route.path}?${query}` }),
  ]);
}

function fields(route: Route): Case[] {
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
      (line): Case => [
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

function contentTypes(route: Route): Case[] {
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
      (type): Case => [
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

function bodies(route: Route): Case[] {
  const member = (members: string) => `{"name":"Hostile","categoryId":1,${members}}`;
  const categoryId = (literal: string) => `{"name":"Hostile","categoryId":${literal}}`;
  const name = (literal: string) => `{"name":${literal},"categoryId":1}`;
  const deep = (depth: number, value = '') => `${'['.repeat(depth)}${value}${']'.repeat(depth)}`;
  const texts = [
    '{}',
    '[]',
    'null',
    'true',
    '"x"',
    '7',
    '-0',
    '1e400',
    '9007199254740993',
    '',
    ' ',
    '\0',
    '{',
    '}',
    '[',
    '"',
    '{"name"',
    '{"name":}',
    '{"name":"Hostile","categoryId":1',
    '{"name":"Hostile","categoryId":1}}',
    '{"name":"Hostile","categoryId":1} x',
    '{"name":"Hostile","categoryId":1,}',
    "{'name':'Hostile','categoryId':1}",
    '{name:"Hostile",categoryId:1}',
    '{"name":"Hostile",/* */"categoryId":1}',
    '[{"name":"Hostile","categoryId":1}]',
    'name=Hostile&categoryId=1',
    '<pet><name>Hostile</name></pet>',
    '[object Object]',
    'undefined',
    deep(10_000),
    '['.repeat(10_000),
    '{"a":'.repeat(3_000),
    deep(8_000),
    deep(4_000),
    name(deep(4_000)),
    member(`"x":${deep(4_000, '1')}`),
    member(`"x":${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    `${'{"__proto__":'.repeat(1_000)}1${'}'.repeat(1_000)}`,
    member('"__proto__":{"status":"sold"}'),
    member('"__proto__":null'),
    member('"constructor":{"prototype":{"status":"sold"}}'),
    member('"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"then":5'),
    '{"__proto__":{"name":"Hostile","categoryId":1}}',
    '{"constructor":{"name":"Hostile"},"categoryId":1}',
    member('"name":"Repeated"'),
    member('"categoryId":"repeated"'),
    member('"status":"sold","status":"lost"'),
    member('"status":null'),
    member('"status":{"$ne":null}'),
    member('"status":["sold"]'),
    member('"status":"__proto__"'),
    member('"status":"toString"'),
    member('"status":"sold\'; drop table pets; --"'),
    member(`"status":"${'x'.repeat(15_000)}"`),
    member('"id":1'),
    member('"id":-1'),
    member('"id":"1); drop table pets; --"'),
    member(Array.from({ length: 1_000 }, (_, i) => `"x${i}":${i}`).join()),
    member(`"${'k'.repeat(15_000)}":1`),
    member('"":1'),
    member('"\\u0000":"\\u0000"'),
    member('"\\ud800":"\\udfff"'),
    name('"\\u0000"'),
    name('"a\\u0000b"'),
    name('"\\ud800"'),
    name('"\\udfff\\ud800"'),
    name('"\\u001b[2J"'),
    name('"\\u0085\\u009b31m"'),
    name('"\\u202egnirts"'),
    name('"\\uffff\\ufeff"'),
    name('"\\u0041\\u0041"'),
    name('"\\x41"'),
    name('"\\u12"'),
    name('"a\nb"'),
    name('""'),
    name(`"${'x'.repeat(256)}"`),
    name(`"${'x'.repeat(16_000)}"`),
    name('null'),
    name('0'),
    name('[]'),
    name('{}'),
    name('{"toString":"x"}'),
    name('"\'); drop table pets; --"'),
    name('"$1 $2 {{x}} %s %n \\\\"'),
    name('"<script>alert(1)</script>"'),
    name('"__proto__"'),
    categoryId('9007199254740991'),
    categoryId('9007199254740992'),
    categoryId('9007199254740993'),
    categoryId('9223372036854775807'),
    categoryId('9223372036854775808'),
    categoryId('-9223372036854775808'),
    categoryId('-9223372036854775809'),
    categoryId('1e400'),
    categoryId('-1e400'),
    categoryId('1e-400'),
    categoryId('1e18'),
    categoryId('1e999999999999999999'),
    categoryId('1e-999999999999999999'),
    categoryId('0.1e1'),
    categoryId('1.5'),
    categoryId('-0'),
    categoryId('-0.0'),
    categoryId('01'),
    categoryId('+1'),
    categoryId('.5'),
    categoryId('5.'),
    categoryId('0x10'),
    categoryId('NaN'),
    categoryId('Infinity'),
    categoryId('1n'),
    categoryId('"1"'),
    categoryId('"1; drop table pets"'),
    categoryId('null'),
    categoryId('[1]'),
    categoryId('{"valueOf":1}'),
    categoryId('true'),
    categoryId('9'.repeat(16_000)),
    categoryId(`1${'0'.repeat(8_000)}e-${'0'.repeat(4_000)}8000`),
    categoryId(`0.${'0'.repeat(15_000)}1`),
    categoryId(`1${'0'.repeat(15_000)}1`),
    ' '.repeat(16_384),
    ' '.repeat(16_385),
    'x'.repeat(100_000),
  ];
  const encoded: [string, Buffer][] = [
    ['a BOM', Buffer.from(`\ufeff${categoryId('1')}`)],
    ['two BOMs', Buffer.from(`\ufeff\ufeff${categoryId('1')}`)],
    ['UTF-16', Buffer.from(`\ufeff${categoryId('1')}`, 'utf16le')],
    ['UTF-16 without a BOM', Buffer.from(categoryId('1'), 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${categoryId('1')}`, 'utf16le').swap16()],
    ['gzip', gzipSync(categoryId('1'))],
    ['random bytes', Buffer.from(Array.from({ length: 1_000 }, (_, i) => (i * 7919) % 256))],
    ...['\xff', '\xc3', '\xc0\x80', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\x80', '\xe9'].map(
      (bytes): [string, Buffer] => [
        `the invalid UTF-8 ${JSON.stringify(bytes)}`,
        Buffer.from(name(`"${bytes}"`), 'latin1'),
      ],
    ),
  ];
  return [
    ...texts.map((text): [string, Buffer] => [
      JSON.stringify(text.slice(0, 60)),
      Buffer.from(text),
    ]),
    ...encoded,
  ].map(([title, body]): Case => [`the body ${title}`, withJson(route, body)]);
}

function framings(route: Route): Case[] {
  const body = '{"name":"Framed","categoryId":1}';
  const json = 'Content-Type: application/json';
  const chunked = (text: string, headers: readonly string[] = []) =>
    request(route, {
      headers: [json, 'Transfer-Encoding: chunked', ...headers],
      body: text,
    });
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  const end = { halfClose: true };
  return [
    ['a body shorter than announced', withJson(route, body.slice(0, 10), ['Content-Length: 99'])],
    [
      'a body cut short',
      request(route, { headers: [json, 'Content-Length: 99'], body: body.slice(0, 10) }),
      end,
    ],
    [
      'a body longer than announced',
      request(route, { headers: [json, 'Content-Length: 5'], body }),
    ],
    ['a body without a length', request(route, { headers: [json], body })],
    ['one byte per chunk', chunked(`${[...body].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`)],
    ['no chunk but the last', chunked('0\r\n\r\n')],
    ['a chunk extension', chunked(`${chunk.replace('\r\n', ';a=b;c="d"\r\n')}0\r\n\r\n`)],
    [
      'a huge chunk extension',
      chunked(`${chunk.replace('\r\n', `;${'a'.repeat(20_000)}\r\n`)}0\r\n\r\n`),
    ],
    ['trailers', chunked(`${chunk}0\r\nAuthorization: Bearer x\r\nHost: evil\r\n\r\n`)],
    ['huge trailers', chunked(`${chunk}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ['a chunk size that is no number', chunked('zz\r\nabc\r\n0\r\n\r\n')],
    ['an empty chunk size', chunked('\r\nabc\r\n0\r\n\r\n')],
    ['a negative chunk size', chunked('-1\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size beyond 64 bits', chunked('FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 2^63', chunked('8000000000000000\r\nabc'), end],
    ['a chunk without its line end', chunked('3\r\nabcdef\r\n0\r\n\r\n')],
    ['chunks ended by bare LF', chunked(`${chunk.replaceAll('\r\n', '\n')}0\n\n`)],
    ['a chunk cut short', chunked('20\r\nabc'), end],
    ['no last chunk', chunked(chunk), end],
    ['chunks of 100 kB', chunked(`${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(25)}0\r\n\r\n`)],
    [
      'chunks of too much and then garbage',
      chunked(`${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(9)}zz`),
    ],
    ['chunked and a length', chunked(`${chunk}0\r\n\r\n`, ['Content-Length: 5'])],
    ['chunked twice', chunked(`${chunk}0\r\n\r\n`, ['Transfer-Encoding: chunked'])],
    ['chunked, in two encodings', chunked(`${chunk}0\r\n\r\n`, ['Transfer-Encoding: gzip'])],
    ['an expectation, and then the body', withJson(route, body, ['Expect: 100-continue'])],
  ];
}

function protocols(route: Route): Case[] {
  const { method, path, token } = route;
  const line = (text: string) => request(route, { line: text });
  const target = (text: string) => line(`${method} ${text} HTTP/1.1`);
  const outside = { outside: true };
  const end = { outside: true, halfClose: true, mayHangUp: true };
  return [
    ['HTTP/1.0', line(`${method} ${path} HTTP/1.0`)],
    [
      'HTTP/1.0 without Host',
      rawRequest({
        line: `${method} ${path} HTTP/1.0`,
        headers: [`Authorization: Bearer ${token}`],
      }),
    ],
    ['HTTP/0.9', Buffer.from(`${method} ${path}\r\n`), end],
    ['HTTP/1.2', line(`${method} ${path} HTTP/1.2`)],
    ['HTTP/2.0', line(`${method} ${path} HTTP/2.0`)],
    ['HTTP/9.9', line(`${method} ${path} HTTP/9.9`)],
    ['HTTP/11.1', line(`${method} ${path} HTTP/11.1`)],
    ['http/1.1', line(`${method} ${path} http/1.1`)],
    ['RTSP/1.0', line(`${method} ${path} RTSP/1.0`)],
    ['no protocol', line(`${method} ${path} `)],
    ['no target', line(`${method}  HTTP/1.1`)],
    ['tabs for spaces', line(`${method}\t${path}\tHTTP/1.1`)],
    ['two spaces', line(`${method}  ${path}  HTTP/1.1`)],
    ['a space in the target', target(`${path} x`)],
    ['a space before the method', line(` ${method} ${path} HTTP/1.1`)],
    ['empty lines before the request', Buffer.concat([Buffer.from('\r\n\r\n'), request(route)])],
    [
      'lines ended by bare LF',
      Buffer.from(request(route).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    ],
    [
      'lines ended by bare CR',
      Buffer.from(request(route).toString('latin1').replaceAll('\r\n', '\r'), 'latin1'),
    ],
    ['the absolute form', target(`http://localhost${path}`)],
    ['the absolute form of a stranger', target(`http://evil.example${path}`)],
    ['the absolute form with a password', target(`http://user:password@localhost${path}`)],
    ['the absolute form of https', target(`https://localhost${path}`)],
    ['the absolute form of ftp', target(`ftp://localhost${path}`)],
    ['the absolute form of an open bracket', target(`http://[${path}`)],
    ['the absolute form of a wrong IPv6 address', target(`http://[::g]${path}`)],
    ['the absolute form with a wrong port', target(`http://localhost:port${path}`)],
    ['the absolute form with a huge port', target(`http://localhost:99999${path}`)],
    ['the absolute form without a host', target(`http://${path}`)],
    ['the absolute form without a path', target('http://localhost'), outside],
    ['the absolute form with only a query', target('http://localhost?x=/v1'), outside],
    ['the absolute form with a wrong %', target(`http://%ff${path}`)],
    ...['//a@[#', '//a@[\xa0', '//a@b:c#', '/\xa0', '//a@b/v1/pets#'].map(
      (text): Case => [`the target ${JSON.stringify(text)}`, target(text), outside],
    ),
    ['the authority form', target('localhost:80'), outside],
    ['the asterisk form', target('*'), outside],
    ['a target without a slash', target(path.slice(1)), outside],
    ['a target of another scheme', target('javascript:alert(1)'), outside],
    ['CONNECT', line('CONNECT localhost:80 HTTP/1.1'), { mayHangUp: true }],
    ['CONNECT to a path', line(`CONNECT ${path} HTTP/1.1`), { mayHangUp: true }],
    [
      'CONNECT, with a tunnel already',
      Buffer.concat([line(`CONNECT ${path} HTTP/1.1`), Buffer.from('SSH-2.0\r\n')]),
      { mayHangUp: true },
    ],
    ['OPTIONS of *', line('OPTIONS * HTTP/1.1'), outside],
    ['a path of 20 kB', target(`${path}/${'a'.repeat(20_000)}`)],
    ['a raw NUL in the path', target(`${path}\0`)],
    ['raw UTF-8 in the path', target(`${path}\xc3\xa9`)],
    ['a preface of HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), outside],
    ['TLS', Buffer.from('1603010200010001fc0303', 'hex'), outside],
    [
      'the PROXY protocol',
      Buffer.concat([Buffer.from('PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n'), request(route)]),
    ],
    ['a request cut short', request(route).subarray(0, 40), end],
    ['headers cut short', request(route).subarray(0, -2), { ...end, outside: false }],
    ['nothing', Buffer.alloc(0), end],
    ['one byte', Buffer.from('G'), end],
    ['NUL', Buffer.alloc(100), outside],
    [
      'two requests at once',
      Buffer.from(
        request(route).toString('latin1').replace('Connection: close\r\n', '').repeat(2),
        'latin1',
      ),
      { answers: 2 },
    ],
    [
      'eight requests at once',
      Buffer.from(
        request(route).toString('latin1').replace('Connection: close\r\n', '').repeat(8),
        'latin1',
      ),
      { answers: 8 },
    ],
    ['a request in the body of another', withJson(route, request(route))],
  ];
}
