import { afterAll, expect, test } from 'vitest';
import { adminToken } from '../support/admin.ts';
import { expectErrorBody, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { logOf } from '../support/observed.ts';
import { type RawBytes, rawRequest, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/test-service.ts';
import { framings, requestHeads, rex, type Table, targets } from '../wire/hostile-inputs.ts';
import { holdConversations } from '../wire/wire-fuzz.ts';

// `listener.test.ts` tests how the HTTP listener handles connections.

const service = useService('postgres', {
  ops: { adminToken },
  quotas: { addressPerMinute: 1_000_000 },
});

/** The number of animals that the tests of this file have created. */
let created = 0;
const countAnimals = async () => (await listAll(service.server, service.tokens.enterprise)).size;
// Refused requests must create nothing. So at the end, the database must contain only the animals
// that accepted requests have created.
afterAll(async () => {
  expect(await countAnimals()).toBe(created);
});

type Rest = { headers?: readonly string[]; body?: RawBytes; halfClose?: boolean };

/**
 * Sends a request with a valid API key and checks the response. Node itself responds to invalid
 * HTTP, with a response without a body. The tables contain such a response as `400 by Node`.
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
  '400 body: expected JSON with fewer levels of nested arrays and objects': [
    json(`"categoryId":1,"x":${'['.repeat(4_000)}${']'.repeat(4_000)}`),
  ],
  '400 body: expected a JSON object with name and categoryId, got nothing': [''],
  // An error message quotes the text that the client sent, such as `-1E+400`, and not the parsed
  // value, which would be `-Infinity`. The service escapes and shortens this text, and removes
  // tokens from it.
  '400 categoryId: expected a 64-bit integer, got -1E+400': [json('"categoryId":-1E+400')],
  '400 categoryId: expected a 64-bit integer, got "x"': [json('"categoryId":1,"categoryId":"x"')],
  [`400 ${name}, got "a\\u0000\\ud800"`]: ['{"name":"a\\u0000\\ud800","categoryId":1}'],
  [`400 ${name}, got "${'🐕'.repeat(19)}\ufffd…`]: [
    Buffer.from(`{"name":"${'🐕'.repeat(256)}","categoryId":1}`),
  ],
  '400 status: expected one of available, pending, sold, got "ast_…"': [
    json(`"categoryId":1,"status":"ast_${secret}"`),
  ],
  // The service cuts this value in the middle of an API key. The message must not show the first
  // part of this key.
  '400 status: expected one of available, pending, sold, got "ast_… …"': [
    json(`"categoryId":1,"status":"ast_${secret} ${secret} ${secret} ${secret}"`),
  ],
  // The message is shortened to one kilobyte, which `expectErrorBody` checks.
  '^400 (categoryId: [^;]*; ){9}categoryId: [^;]*$': [
    json(
      `"categoryId":1,${Array.from({ length: 40 }, (_, i) => `"category_id${'_'.repeat(i)}":1`)}`,
    ),
  ],
  '413 body: expected at most 16384 bytes': [
    rex + ' '.repeat(16_385 - rex.length),
    // The body is too long in bytes but not in characters.
    Buffer.from(`"${'🐕'.repeat(4_096)}"`),
    // The response arrives while the client is still sending the body.
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
  '415 Content-Encoding: expected none, because the body must not be compressed': [
    ...['gzip', 'identity, gzip', 'gzip, '.repeat(1_000)].map(
      (coding) => `application/json\r\nContent-Encoding: ${coding}`,
    ),
  ],
};

const ofJson = (framing: string) => ['Host: a', 'Content-Type: application/json', framing];

/** Sends each input of a table, and expects the response that the table lists for this input. */
function testTable<Input>(
  what: string,
  table: Table<Input>,
  toRequest: (input: Input, answer: string) => [line: string, rest: Rest],
): void {
  const rows = Object.entries(table).flatMap(([answer, inputs]) =>
    inputs.map((input) => [JSON.stringify(String(input).slice(0, 70)), answer, input] as const),
  );
  test.each(rows)(`the service responds to ${what} %s with %s`, async (_shown, answer, input) => {
    await expectAnswer(answer, ...toRequest(input as Input, answer));
  });
}

testTable('the request target', targets, (target) => [
  `GET ${target} HTTP/1.1`,
  { headers: ['Host: a'] },
]);
testTable('the request line and headers', requestHeads, ([line = '', ...headers]) => [
  line,
  { headers },
]);
// The client half-closes the connection after the body, so that the server also responds to
// truncated bodies.
testTable('a body with the framing', framings, ([framing, body], answer) => [
  'POST /v1/pets HTTP/1.1',
  { headers: ofJson(framing), body, halfClose: answer.endsWith('by Node') },
]);
testTable('the body', bodies, (body) => [
  'POST /v1/pets HTTP/1.1',
  { headers: ofJson(`Content-Length: ${body.length}`), body },
]);
testTable('a body with the Content-Type', types, (type) => [
  'POST /v1/pets HTTP/1.1',
  {
    // If the type is empty, the request has no header Content-Type.
    headers: [`Host: a${type && `\r\nContent-Type: ${type}`}`, `Content-Length: ${rex.length}`],
    body: rex,
  },
]);

// The campaign (long test) `wire` tests more connections of this kind and also checks the memory.
test('the service survives many connections with random hostile requests', async () => {
  const { server, tokens } = service;
  const before = await countAnimals();
  await holdConversations({ server, token: tokens.enterprise, seed: 1, connections: 40 });
  created += (await countAnimals()) - before;
  expect((await fetch(`${server.opsUrl}/livez`)).status).toBe(200);
  expect(logOf(server).filter(({ level }) => level === 'fatal')).toEqual([]);
  expect(server.output()).not.toContain('Warning');
});
