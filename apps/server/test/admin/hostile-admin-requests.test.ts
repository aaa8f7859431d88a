import { keySorts } from '@animal-store/admin-contract';
import { sealCursor } from '@animal-store/http-server';
import { expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { nobody, useAdmin } from '../support/admin.ts';
import type { CallOptions } from '../support/test-service.ts';

// `admin-conformance.test.ts` tests which invalid requests each operation refuses, and with which
// status.

const { admin } = useAdmin();

const key = `/keys/${nobody}`;

test.each<[status: number, path: string, options?: CallOptions]>([
  ...[
    `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
    '{"name":"x","plan":"enterprise","quota":{"perMinute":1e400,"perDay":1}}',
    '{"name":"x","plan":"free","name":"\\ud800"}',
    '{"name":"x","plan":"free","expiresAt":"9999-12-31T23:59:59-23:59"}',
    '{"name":"x","plan":"free","__proto__":{"quota":1}}',
  ].map((json): [number, string, CallOptions] => [400, '/keys', { json }]),
  [400, key, { method: 'PATCH', json: '{"name":null,"Name":null}' }],
  [400, `${key}/revoke?because=x`, { method: 'POST' }],
  [400, '/keys?Plan=pro'],
  [400, '/keys?name=%ff'],
  [400, '/keys?unusedForDays=1e2'],
  [400, '/keys/%ff'],
  [404, '/Keys'],
  [404, '/keys/'],
])(
  'the admin API responds with status %i and an error body to the malformed request %s %j',
  async (status, path, options = {}) => {
    const { body } = await admin.call(path, options);
    expect(body).toEqual({ code: expect.any(String), message: expect.any(String), status });
  },
);

const time = '2026-11-21 12:00:00.123456+00';

/**
 * Returns the path of a list with a cursor that the test has made itself. The cursor has a valid
 * checksum, which anyone can compute.
 */
function forge(path: string, position: unknown): string {
  const [name = '', query = ''] = path.split('?');
  const whole = Array.isArray(position) ? ['0', ...position] : position;
  const cursor = sealCursor(JSON.stringify(whole), `${name} ${query} `);
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

test.each([
  ['/keys', [time, nobody]],
  ['/keys?sort=name', ['two words\n\u{10FFFF}', nobody]],
  ['/keys?sort=-plan', ['pro', time, nobody]],
  ['/accounts', ['natural ', '9', 'natural 9']],
  ['/audit', [time, '1']],
])(
  'the admin API accepts a cursor with any valid position in the list %s, even if another program has created the cursor: %j',
  async (path, position) => {
    expect((await admin.call(forge(path, position))).status).toBe(200);
  },
);

const wrongTimes = ['', '1.5', '1e300', '2026-02-30', '99999999999999999999', '\0'];

test.each<[path: string, positions: unknown[]]>([
  ...keySorts.map((sort): [string, unknown[]] => [
    `/keys?sort=${sort}`,
    [null, {}, [], [1], [time], ['no-uuid', 'no-uuid', 'no-uuid'], ['\0', nobody, nobody]],
  ]),
  ['/keys', wrongTimes.map((wrong) => [wrong, nobody])],
  [
    '/keys?sort=plan',
    [
      ['gold', time, nobody],
      ['pro', nobody, time],
    ],
  ],
  ['/accounts', [['a', 'many', 'a']]],
  ['/audit', [[time, nobody], [time, '9223372036854775808'], ...wrongTimes.map((it) => [it, '1'])]],
])(
  'the admin API refuses a cursor of the list %s that contains an invalid position',
  async (path, positions) => {
    for (const position of positions) {
      expect((await admin.call(forge(path, position))).body, `${position}`).toEqual({
        code: 'invalid_request',
        message: 'cursor: expected a cursor from a Link header of the same list',
        status: 400,
      });
    }
  },
);

test('the admin API refuses a name that contains an API key, and does not repeat the API key in the response', async () => {
  const { key } = await admin.create('{"name":"x","plan":"free","account":"before"}');
  const token = createToken().slice(4);
  const label = `Ann ${token}`;
  const stored = async () =>
    (await admin.call('/keys')).text + (await admin.call('/operators')).text;
  const before = await stored();
  const both = { name: label, account: label };
  for (const [path, method, body] of [
    ['/keys', 'POST', { plan: 'free', ...both }],
    [`/keys/${key.id}`, 'PATCH', both],
    ['/operators', 'POST', { name: label, role: 'viewer' }],
  ] as const) {
    const { body: refused } = await admin.call(path, { method, json: JSON.stringify(body) });
    const faults = ['name', 'account'].filter((field) => field in body);
    const refusal =
      'expected no token, because everybody who sees this text could use the token, got "Ann …"';
    const message = faults.map((field) => `${field}: ${refusal}`).join('; ');
    expect(refused).toEqual({ code: 'invalid_request', message, status: 400 });
  }
  const list = await admin.call(`/keys?tokenPrefix=${createToken()}`);
  expect([list.status, /_\w{9}/.test(list.text)]).toEqual([400, false]);
  expect(await stored()).toBe(before);
});
