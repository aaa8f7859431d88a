import { afterAll, expect, test } from 'vitest';
import { sealCursor } from '../../src/http/sealed-cursor.ts';
import { adminToken } from '../support/admin.ts';
import { expectErrorBody, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { logOf } from '../support/observed.ts';
import { type RawBytes, type RawOptions, rawRequest, sendRaw } from '../support/raw-http.ts';
import { startService, useService } from '../support/test-service.ts';
import { closeOf, openConnection, readUntilClosed, statusesIn } from '../wire/connection.ts';
import { holdConversations } from '../wire/wire-fuzz.ts';

const service = useService('postgres', {
  env: { ADMIN_TOKEN: adminToken, ADDRESS_PER_MINUTE: '1000000' },
});

/** Inputs by the answer that they get: a status and a message, or the source of a RegExp of both. */
type Table<Input> = Readonly<Record<string, readonly Input[]>>;

type Row = [title: string, answer: string, line: string, rest: Rest];

function rowsOf<Input>(
  what: string,
  table: Table<Input>,
  toRequest: (input: Input, answer: string) => [line: string, rest: Rest],
): Row[] {
  return Object.entries(table).flatMap(([answer, inputs]) =>
    inputs.map((input): Row => {
      const title = `${what} ${JSON.stringify(String(input).slice(0, 70))}`;
      return [
        `${title} is answered with ${answer.slice(0, 70)}`,
        answer,
        ...toRequest(input, answer),
      ];
    }),
  );
}

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
    for (const name of ['X-Injected', 'Set-Cookie']) expect(headers.has(name)).toBe(false);
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

const notFound = '404 There is no such path.';
const noInt64 = (shown: string) => `400 petId: expected a 64-bit integer, got ${shown}`;
const ids = 'expected 1 to 100 64-bit integers, as in ids=5,11 or ids=5&ids=11';
const noAnimal = (id: string) => `404 There is no animal with the id ${id}.`;

const targets: Table<string> = {
  200: [
    '/v1/pets?limit=1#limit=0',
    '/v1/pets?"<>^`{|}\\',
    '/v1/pets?%ff=%ff&%=%00&__proto__[limit]=0&constructor=x&a[b][c]=d&page[]=9&offset=1',
    // RFC 9112, §3.2.2: the absolute form is a path, whatever its host.
    ...['http://evil.example/v1/pets', 'https://u:p@localhost/v1/pets', 'ftp://a/v1/pets'],
    // `url.parse`, which Express would call, throws for some of these.
    ...['http://[/v1/pets', 'http://[::g]/v1/pets', 'http:///v1/pets', 'http://%ff/v1/pets'],
    ...['http://a:port/v1/pets', 'http://a:99999/v1/pets'],
    // RFC 3986, §6.2.2.2: percent-encoded letters.
    ...['/v1/p%65ts', '/v1/%70%65%74%73?ids=1', '/v1/r%61te%2Dlimit', '/%761/pets?ids=1'],
  ],
  [notFound]: [
    ...['*', '//a@[#', '//a@b:c#', '//a@b/v1/pets#', `/v1/${'a/'.repeat(4_000)}`],
    ...['/v1', '/v1/', '/v1/nowhere', '/v1/pets/', '/v1//pets', '/v1/pets//1', '/v1/pets/1/'],
    ...['/v1/pets/1/2', '/v1/Pets', '/v1/pet', '/v1/pets.json', '/v1/store', '/v1/store/orders/'],
    ...['/v1/store/orders/1', '/v1/v1/pets', '/v1/admin', '/v1/.env', '/v1/constructor'],
    ...['/pets', '/v2/pets', '/v10/pets', '/V1/pets', '//v1/pets', '/x/../v1/pets'],
    // Neither resolved to another path, nor decoded further than letters.
    ...['/v1/../pets', '/v1/./pets', '/v1/pets/../pets', '/v1/%2e%2e/pets', '/v1/pets/%2e%2e/pets'],
    ...['/v1/p%2565ts', '/v1/pets%2F1', '/v1/%70ets%2f1', '/v1/pets%3Fids=1', '/v1/pets%20'],
    ...['/v1/%50ets', '/v1/pets;a=b', '/v1/nowhere/%ff', '/v1/r%61te%2Dlimit/'],
  ],
  '404 There is no such path. The API is under /v1.': ['/', 'http://localhost?x=/v1'],
  // Express fails while it matches such a path, before any step of the route.
  '400 path: expected valid percent-encoding of UTF-8': [
    ...['%ff', '%', '%2', '%zz', '%c0%80', '%ed%a0%80'].map((it) => `/v1/pets/${it}?limit=%ff`),
  ],
  ...Object.fromEntries(
    ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'].map((id) => [
      noAnimal(id),
      [`/v1/pets/${id}`],
    ]),
  ),
  [noInt64('"9223372036854775808"')]: ['/v1/pets/9223372036854775808'],
  [noInt64('"-0"')]: ['/v1/pets/-0'],
  [noInt64('"1/2"')]: ['/v1/pets/1%2F2'],
  [noInt64('"1\\u0000"')]: ['/v1/pets/1%00'],
  [noInt64('"١"')]: ['/v1/pets/%D9%A1'],
  [noInt64('"__proto__"')]: ['/v1/pets/__proto__'],
  [noInt64('"\\r\\nX-Injected: a"')]: ['/v1/pets/%0d%0aX-Injected:%20a'],
  [noInt64(`"${'9'.repeat(39)}…`)]: [`/v1/pets/${'9'.repeat(10_000)}`],
  '400 limit: expected one integer from 1 to 100, got "0"': [
    `/v1/pets?${'a&'.repeat(4_000)}limit=0`,
  ],
  '^400 limit: .*, got "\ufffd"$': ['/v1/pets?limit=%ff'],
  '^400 limit: .*, got "1\\\\r\\\\nX-Injected: a"$': ['/v1/pets?limit=1%0d%0aX-Injected:%20a'],
  '^400 status: expected one of available, pending, sold, got an array$': [
    '/v1/pets?status=sold&status=sold',
  ],
  [`400 ids: ${ids}, got ""`]: ['/v1/pets?ids='],
  [`400 ids: ${ids}, got an array`]: [`/v1/pets?ids=${'1&ids='.repeat(100)}1`],
  [`^400 ids: ${ids.replace('?', '.')}, got "1,1,.*…$`]: [`/v1/pets?ids=${'1,'.repeat(7_500)}`],
  // Never the whole list.
  '400 ids: expected under exactly this name, got "ids[]"': ['/v1/pets?ids%5B%5D=1&ids%5B%5D=2'],
  '400 limit: expected none beside ids, got "5"; cursor: expected none beside ids, got "abc"': [
    '/v1/pets?ids=1&limit=5&cursor=abc',
  ],
  '^400 status: expected under.*"Status"; categoryId: expected under.*"category-id"; limit: .*"0"$':
    ['/v1/pets?Status=sold&category-id=x&limit=0'],
  // That no other change of its text is accepted is tested in pet-cursor.test.ts.
  '^400 cursor: expected one that a Link header gave for the same status and categoryId$': [
    ...['', '5', '%00', '%ff%fe', '%0d%0aLink:%20x', "'%20or%201=1--", '%F0%9F%90%95'],
    ...['A'.repeat(7_000), '9'.repeat(7_000)],
    // Their checksum is right, as anybody can compute it.
    ...['.0', '.-1', '.1e9', '.9007199254740992', 'lost.1', '.1.', '.1.x', '\0.1'].map((it) =>
      sealCursor(it),
    ),
    ...['A', '=', '%20', '%0a'].map((tail) => sealCursor('.1') + tail),
  ].map((cursor) => `/v1/pets?cursor=${cursor}`),
  '^400 cursor: .* got an array$': ['/v1/pets?cursor=a&cursor=b'],
  '431 by Node': [`/v1/${'a'.repeat(20_000)}`],
  '400 by Node': ['a:80', 'javascript:alert(1)', 'v1/pets', '/\xff', '/\0', '/a b', ''],
};

const many = (times: number) => Array.from({ length: times }, (_, i) => `X${i}: x`);

const heads: Table<readonly string[]> = {
  200: [
    ['GET /v1/pets HTTP/1.0'],
    ...['', ' [', ' a b', ' <script>', ' a:99999', ` ${'h'.repeat(10_000)}`].map((host) => [
      get,
      `Host:${host}`,
    ]),
    // And the one for the key.
    [get, 'Host: a', ...many(98)],
    [get, 'Host: a', '__proto__: x', 'X-Odd: \xff', 'X-Forwarded-For: \xff, 999.9.9.9'],
    [get, 'Host: a', 'Origin: \xff', 'Range: bytes=0-1', 'TE: deflate', 'X-Original-URL: /admin'],
  ],
  '400 by Node': [
    ...['GET /v1/pets HTTP/1.2', 'get /v1/pets HTTP/1.1', 'PRI * HTTP/2.0'].map((line) => [
      line,
      'Host: a',
    ]),
    ['PROXY TCP4 1.1.1.1 2.2.2.2 1 2', get, 'Host: a'],
    ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    [get],
    ...['X: \0', 'X: a\rX-Injected: b', 'X : a', 'X X: a', ': a', 'no colon'].map((line) => [
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
    ...['-1', '+1', '0x1', '1e1', '1, 1', '9'.repeat(23), '', 'x', '0\r\nContent-Length: 0'].map(
      (value): Framed => [`Content-Length: ${value}`, rex],
    ),
    ...['gzip', 'identity', 'xchunked', 'chunked, identity', `chunked\r\n${chunked}`].map(
      (coding): Framed => [`Transfer-Encoding: ${coding}`, chunk + end],
    ),
    [`${length}\r\n${chunked}`, chunk + end],
    ...['zz', '', '-1', '0x3', 'F'.repeat(17)].map(
      (size): Framed => [chunked, `${size}\r\nabc\r\n${end}`],
    ),
    [chunked, `3\r\nabcdef\r\n${end}`],
    [chunked, (chunk + end).replaceAll('\r', '')],
    // Cut short:
    [chunked, chunk],
    [chunked, '20\r\nabc'],
    ['Content-Length: 99', rex],
  ],
  '413 by Node': [[chunked, chunk.replace('\r', `;${'a'.repeat(20_000)}\r`)]],
  '431 by Node': [[chunked, `${chunk}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
};

const tooLarge: Table<Framed> = {
  '413 body: expected at most 16384 bytes': [
    ['Content-Length: 1000000000', ''],
    [chunked, `1000\r\n${' '.repeat(4_096)}\r\n`.repeat(5)],
  ],
};

const json = (members: string) => `{"name":"Rex",${members}}`;
const categoryId = '400 categoryId: expected a 64-bit integer, got';
const name = 'name: expected 1 to 255 characters, without control characters and lone surrogates';
const status = 'status: expected one of available, pending, sold';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const bodies: Table<RawBytes> = {
  201: [
    rex + ' '.repeat(16_384 - rex.length),
    Buffer.from(`\ufeff${rex}`),
    json(`"categoryId":1,"x":${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    json(`"categoryId":1${'0'.repeat(8_000)}e-${'0'.repeat(4_000)}8000`),
    json('"categoryId":1,"toString":1,"then":5,"constructor":{"prototype":{}},"__proto__":null'),
  ],
  '400 body: expected valid JSON in UTF-8': [
    ...[
      ' ',
      '\0',
      '{',
      `${rex} x`,
      `${rex.slice(0, -1)},}`,
      '<pet/>',
      'name=Rex',
      '['.repeat(10_000),
    ],
    ...['\xff', '\xc3', '\xc0\x80', '\xed\xa0\x80', '\xf5\x80\x80\x80', '\x80', '\n', '\\u12'].map(
      (bytes) => rex.replace('Rex', bytes),
    ),
    json('"categoryId":01'),
    Buffer.from(`\ufeff\ufeff${rex}`),
    Buffer.from(`\ufeff${rex}`, 'utf16le'),
  ],
  '400 body: expected JSON that nests less deeply': [
    nested(8_000),
    json(`"categoryId":1,"x":${nested(4_000)}`),
  ],
  '400 body: expected a JSON object with name and categoryId, got nothing': [''],
  '400 body: expected a JSON object with name and categoryId, got null': ['null'],
  '400 body: expected a JSON object with name and categoryId, got an array': [`[${rex}]`],
  '400 body: expected a JSON object with name and categoryId, got 1e400': ['1e400'],
  [`${categoryId} ${'9'.repeat(40)}…`]: [json(`"categoryId":${'9'.repeat(16_000)}`)],
  [`${categoryId} "x"`]: [json('"categoryId":1,"categoryId":"x"')],
  [`${categoryId} an object`]: [json('"categoryId":{"a":1}')],
  // Numbers are shown as they were sent.
  ...Object.fromEntries(
    ['"7"', 'null', 'true', '1e400', '-1E+400', '1.50', '4503599627370496.4']
      .concat(['9223372036854775808', `1e${'9'.repeat(18)}`, `1e-${'9'.repeat(18)}`])
      .map((value) => [`${categoryId} ${value}`, [json(`"categoryId":${value}`)]]),
  ),
  [`400 ${name}, got nothing; ${categoryId.slice(4)} nothing`]: ['{}', `{"__proto__":${rex}}`],
  [`400 ${name}, got 1e400; ${categoryId.slice(4)} an array; ${status}, got -0.0`]: [
    '{"name":1e400,"categoryId":[1e400],"status":-0.0}',
  ],
  // What is shown cannot look like another message, is no token, and is cut.
  [`400 ${name}, got "a\\u0000\\ud800"`]: ['{"name":"a\\u0000\\ud800","categoryId":1}'],
  [`400 ${name}, got "${'🐕'.repeat(19)}\ufffd…`]: [
    Buffer.from(`{"name":"${'🐕'.repeat(256)}","categoryId":1}`),
  ],
  [`400 ${status}, got "ast_…"`]: [
    json('"categoryId":1,"status":"ast_0000000000000000000000000000002C8GjS"'),
  ],
  '400 categoryId: expected under exactly this name, got "category_id"; status: expected under exactly this name, got "Status"':
    [json('"category_id":7,"Status":"sold"')],
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

const types: Table<string | undefined> = {
  201: [
    ...['application/json', 'Application/JSON', 'application/json;charset=UTF-8'],
    ...['application/json; charset="utf-8"', 'application/json; charset=utf8'],
    ...['application/json; profile="x"', 'application/json;;;;'],
    'application/json\r\nContent-Encoding: identity',
  ],
  '415 Content-Type: expected application/json, in UTF-8': [
    undefined,
    ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/jsonp'],
    ...['application/json-patch+json', 'application', '*/*', '', '/', '\xff/\xff'],
    ...['application/json, text/plain', 'application/json; charset=utf-16'],
  ],
  '415 Content-Encoding: expected none': [
    ...['gzip', 'br', 'x-unknown', 'identity, gzip', 'gzip, '.repeat(1_000)].map(
      (coding) => `application/json\r\nContent-Encoding: ${coding}`,
    ),
  ],
};

const ofJson = (framing: string) => ['Host: a', 'Content-Type: application/json', framing];

test.each([
  ...rowsOf('the target', targets, (target) => [
    `GET ${target} HTTP/1.1`,
    { headers: ['Host: a'] },
  ]),
  ...rowsOf('the head', heads, ([line = '', ...headers]) => [line, { headers }]),
  // Nothing follows, so what is cut short gets an answer, too.
  ...rowsOf('a body of', framings, ([framing, body], answer) => [
    post,
    { headers: ofJson(framing), body, halfClose: answer !== '201' },
  ]),
  // It is refused before the rest of it arrives.
  ...rowsOf('the head of a body that is too large,', tooLarge, ([framing, body]) => [
    post,
    { headers: ofJson(framing), body },
  ]),
  ...rowsOf('the body', bodies, (body) => [
    post,
    { headers: ofJson(`Content-Length: ${body.length}`), body },
  ]),
  ...rowsOf('a body of the type', types, (type) => [
    post,
    {
      headers: ['Host: a', ...(type === undefined ? [] : [`Content-Type: ${type}`]), length],
      body: rex,
    },
  ]),
  ...rowsOf('a body on GET', { 200: ['{'] }, (body) => [
    get,
    { headers: ['Host: a', 'Content-Length: 1', 'Content-Type: text/html'], body },
  ]),
])('%s', async (_title, answer, line, rest) => {
  await expectAnswer(answer, line, rest);
});

test('eight requests in one segment get eight answers', async () => {
  const bytes = `${get}\r\nHost: a\r\n\r\n`.repeat(8);
  const answers = await sendRaw(service.server.origin, bytes, { answers: 8 });
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 401));
});

const listeners = ['public', 'ops'] as const;

test.each(listeners)(
  'what is not HTTP is answered once, and the connection is closed (%s listener)',
  async (listener) => {
    const linesBefore = logOf(service.server).length;
    const socket = await openConnection(originOf(listener));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    const closed = closeOf(socket);
    // Each write may arrive as a chunk of its own.
    for (let i = 0; i < 20; i += 1) socket.write('not HTTP at all\r\n\r\n');
    await closed;
    expect(statusesIn(received).length).toBeLessThanOrEqual(1);
    const log = logOf(service.server).slice(linesBefore);
    expect(log.filter(({ method }) => method === 'unknown').length).toBeLessThanOrEqual(1);
    await expectUnharmed();
  },
);

// Node drops what follows such a request in the same segment: without the end of the connection, the
// next response would look like that of the dropped request.
test.each(listeners)(
  'a request for an upgrade is served, and ends its connection (%s listener)',
  async (listener) => {
    const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const received = await readUntilClosed(
      originOf(listener),
      `GET /nowhere HTTP/1.1\r\n${upgrade}GET /dropped HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(statusesIn(received)).toEqual([404]);
    expect(received).toMatch(/^Connection: close\r$/m);
  },
);

// Regression: such a connection ended the process. The campaign `wire` tries more of them.
test.each(listeners)(
  'CONNECT closes the connection, and a reset right after it harms nobody (%s listener)',
  async (listener) => {
    const connect = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
    for (let i = 0; i < 30; i += 1) {
      const [behind, reset] = [
        await openConnection(originOf(listener)),
        await openConnection(originOf(listener)),
      ];
      const closed = [closeOf(behind.resume()), closeOf(reset)];
      behind.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n${connect}`);
      reset.write(connect, () => reset.resetAndDestroy());
      await Promise.all(closed);
    }
    await expectUnharmed();
  },
);

// The campaign `wire` holds others, and looks at the memory, too.
test('whatever clients do to their connections harms nobody', async () => {
  const { server, tokens } = service;
  await holdConversations({ server, token: tokens.enterprise, seed: 1, connections: 100 });
  await expectUnharmed();
});

// The campaign `attacks` opens a thousand, and sends them byte by byte.
test('a client whose head does not end is told so, and disconnected', async () => {
  await using slow = await startService('postgres', {
    env: { HEADERS_TIMEOUT_MS: '100' },
    timings: { http: { connectionsCheckingIntervalMs: 10 } },
  });
  const { server } = slow;
  const received = await readUntilClosed(server.origin, `${get}\r\nHost: a\r\nX-Slow: `);
  expect(received).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  expect((await slow.call('/pets')).status).toBe(200);
});

function originOf(listener: (typeof listeners)[number]): string {
  return listener === 'public' ? service.server.origin : service.server.opsUrl;
}

/** Both listeners still answer, and nothing was logged that an operator has to look at. */
async function expectUnharmed(): Promise<void> {
  expect((await service.call('/pets')).status).toBe(200);
  expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
  expect(logOf(service.server).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(service.server.output()).not.toContain('Warning');
}
