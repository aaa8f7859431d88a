import { keySorts } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { sealCursor } from '../../src/http/sealed-cursor.ts';
import { createToken } from '../../src/keys/token.ts';
import { useAdmin } from '../support/admin.ts';
import type { CallOptions } from '../support/test-service.ts';

// What each operation refuses in general, with which status, is in admin-conformance.test.ts.

const { admin } = useAdmin();

const nobody = '00000000-0000-4000-8000-000000000000';
const key = `/keys/${nobody}`;

test.each<[status: number, path: string, options?: CallOptions]>([
  [400, '/keys', { json: `${'['.repeat(8_000)}${']'.repeat(8_000)}` }],
  [
    400,
    '/keys',
    { json: '{"name":"x","plan":"enterprise","quota":{"perMinute":1e400,"perDay":1}}' },
  ],
  [400, '/keys', { json: '{"name":"x","plan":"free","name":"\\ud800"}' }],
  [400, '/keys', { json: '{"name":"x","plan":"free","expiresAt":"9999-12-31T23:59:59-23:59"}' }],
  [400, '/keys', { json: '{"name":"x","plan":"free","expiresAt":"0000-01-01T00:00:00Z"}' }],
  [400, '/keys', { json: '{"name":"x","plan":"free","__proto__":{"quota":1}}' }],
  [400, key, { method: 'PATCH', json: '{"name":null,"Name":null}' }],
  [400, `${key}/revoke?because=x`, { method: 'POST' }],
  [400, '/keys?limit=1&limit=2'],
  [400, '/keys?Plan=pro'],
  [400, '/operators?limit=1'],
  [400, '/keys?name=%ff'],
  [400, '/keys?name=100%'],
  [400, '/keys?unusedForDays=1e2'],
  [400, '/audit?from=1999-12-31T23:59:59Z'],
  [400, '/audit?to=3000-01-01T00:00:00Z'],
  [400, '/keys/%00'],
  [404, '/'],
  [404, '/Keys'],
  [404, '/keys/'],
])('%i for %s %j', async (status, path, options = {}) => {
  const { body } = await admin.call(path, options);
  expect(body).toEqual({ code: expect.any(String), message: expect.any(String), status });
});

test('a path that cannot be decoded is told as such', async () => {
  const { body } = await admin.call('/keys/%ff');
  expect(body).toMatchObject({ message: 'path: expected valid percent-encoding of UTF-8' });
});

const time = '2026-11-21 12:00:00.123456+00';

/** A cursor with the checksum of a list, as anybody can compute it. */
function forge(path: string, position: unknown): string {
  const [name = '', query = ''] = path.split('?');
  const whole = Array.isArray(position) ? ['0', ...position] : position;
  const cursor = sealCursor(JSON.stringify(whole), `${name} ${query} `);
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

test.each([
  ['/keys', [time, nobody]],
  ['/keys?state=expired', [time, nobody]],
  ['/keys?sort=-created', ['infinity', nobody]],
  ['/keys?sort=name', ['', nobody]],
  ['/keys?sort=name', ['two words\n\u{10FFFF}', nobody]],
  ['/keys?name=a', ['a', nobody]],
  ['/keys?sort=-plan', ['pro', time, nobody]],
  ['/keys?sort=state', [time, nobody]],
  ['/keys?sort=-requests', ['1e9', nobody]],
  ['/keys?unusedForDays=9', [time, nobody, 'more']],
  ['/accounts', ['natural ', '9', 'natural 9']],
  ['/audit', [time, '1']],
])('a forged cursor of %s that may be its own is answered: %j', async (path, position) => {
  expect((await admin.call(forge(path, position))).status).toBe(200);
});

const wrongTimes = ['', '1.5', 'NaN', '1e300', '2026-02-30', '99999999999999999999', '\0'];

test.each<[path: string, positions: unknown[]]>([
  ...['', ...keySorts.map((sort) => `?sort=${sort}`)].map((query): [string, unknown[]] => [
    `/keys${query}`,
    [null, '', {}, [], [1], [time], ['no-uuid', 'no-uuid', 'no-uuid'], ['\0', nobody, nobody]],
  ]),
  ['/keys', wrongTimes.map((wrong) => [wrong, nobody])],
  ['/keys?sort=name', [['a\0b', nobody]]],
  ['/keys?sort=plan', [['gold', time, nobody], ['pro'], ['pro', nobody, time]]],
  ['/accounts', [['a', 'many', 'a']]],
  ['/audit', [[time, nobody], [time, '9223372036854775808'], ...wrongTimes.map((it) => [it, '1'])]],
])('forged cursors that %s cannot have are refused, and no failures', async (path, positions) => {
  for (const position of positions) {
    expect((await admin.call(forge(path, position))).body, `${position}`).toEqual({
      code: 'invalid_request',
      message: 'cursor: expected one that a Link header gave',
      status: 400,
    });
  }
});

describe('a label that holds a token is refused, and not repeated:', () => {
  const token = createToken();

  test.each([
    ['the token of a key', token],
    ['a token without its scheme', token.slice(4)],
  ])('%s', async (_what, label) => {
    const { key } = await admin.create(
      '{"name":"x","plan":"free","name":"before","account":"before"}',
    );
    const stored = async () =>
      (await admin.call('/keys')).text + (await admin.call('/operators')).text;
    const before = await stored();
    for (const [field, path, method, body] of [
      ['name', '/keys', 'POST', { plan: 'free', name: label }],
      ['account', '/keys', 'POST', { name: 'x', plan: 'free', account: label }],
      ['name', `/keys/${key.id}`, 'PATCH', { name: label }],
      ['account', `/keys/${key.id}`, 'PATCH', { account: label }],
      ['name', '/operators', 'POST', { name: label, role: 'viewer' }],
    ] as const) {
      const answer = await admin.call(path, { method, json: JSON.stringify(body) });
      expect(answer.status).toBe(400);
      const { message } = answer.body as { message: string };
      const start = `${field}: expected no token: everybody who sees this could use it, got "`;
      expect(message.startsWith(start)).toBe(true);
      expect(message).toContain('…');
      expect(message).not.toContain(label.slice(-10));
    }
    expect(await stored()).toBe(before);
  });

  test.each(['forecast_production', 'ast_0000'])(
    '%s is none, and the audit log shows it',
    async (name) => {
      const { key } = await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
      const { body } = await admin.call(`/audit?keyId=${key.id}`);
      expect(body).toMatchObject([{ subject: { name, account: name }, after: { name } }]);
    },
  );
});
