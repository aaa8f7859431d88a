import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import type { CallOptions } from '../support/test-service.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('an invalid admin request', () => {
  const { admin } = useAdmin();

  const key = `/keys/${nobody}`;
  const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`;
  const cases: readonly (readonly [path: string, options: CallOptions, status: number])[] = [
    ['/keys', { json: '' }, 400],
    ['/keys', { json: 'null' }, 400],
    ['/keys', { json: '[]' }, 400],
    ['/keys', { json: '{"plan":' }, 400],
    ['/keys', { json: deep }, 400],
    ['/keys', { json: `{"plan":"free","name":"${'x'.repeat(17_000)}"}` }, 413],
    ['/keys', { json: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    ['/keys', { json: '{"plan":"gold"}' }, 400],
    ['/keys', { json: '{"plan":"free","quota":{"perMinute":1,"perDay":1}}' }, 400],
    ['/keys', { json: '{"plan":"enterprise"}' }, 400],
    [
      '/keys',
      { json: '{"plan":"enterprise","quota":{"perMinute":9223372036854775807,"perDay":1}}' },
      400,
    ],
    ['/keys', { json: '{"plan":"enterprise","quota":{"perMinute":1e400,"perDay":1}}' }, 400],
    ['/keys', { json: '{"plan":"free","name":"\\u0000"}' }, 400],
    ['/keys', { json: '{"plan":"free","name":"\\ud800"}' }, 400],
    ['/keys', { json: '{"plan":"free","expiresAt":"9999-12-31T23:59:59-23:59"}' }, 400],
    ['/keys', { json: '{"plan":"free","expiresAt":"0000-01-01T00:00:00Z"}' }, 400],
    ['/keys', { json: '{"plan":"free","__proto__":{"quota":1}}' }, 400],
    ['/keys?limit=0', {}, 400],
    ['/keys?limit=101', {}, 400],
    ['/keys?limit=1&limit=2', {}, 400],
    ['/keys?plan=gold', {}, 400],
    ['/keys?state=banned', {}, 400],
    ['/keys?cursor=', {}, 400],
    ['/keys?cursor=abc', {}, 400],
    [`/keys?cursor=${nobody}`, {}, 400],
    ['/keys?name=', {}, 400],
    ['/keys?account=%00', {}, 400],
    ['/keys?account=a&account=b', {}, 400],
    ['/keys?tokenPrefix=ast_000', {}, 400],
    ['/keys?tokenPrefix=aso_0000', {}, 400],
    ['/keys?banned=yes', {}, 400],
    ['/keys?deprecatedWithinDays=-1', {}, 400],
    ['/keys?unusedForDays=1e2', {}, 400],
    [`/keys?cursor=${Buffer.from('x y.00000000000').toString('base64url')}`, {}, 400],
    ['/accounts?name=x', {}, 400],
    ['/keys?Plan=pro', {}, 400],
    ['/operators?limit=1', {}, 400],
    ['/keys?name=%ff', {}, 400],
    ['/keys?name=100%', {}, 400],
    [`${key}/revoke?because=x`, { method: 'POST' }, 400],
    ['/audit?limit=101', {}, 400],
    ['/audit?keyId=1', {}, 400],
    ['/audit?operatorId=%00', {}, 400],
    ['/audit?actor=operator', {}, 400],
    ['/audit?action=', {}, 400],
    ['/audit?account=', {}, 400],
    ['/audit?from=2026-11-22', {}, 400],
    ['/audit?to=0000-01-01T00:00:00Z', {}, 400],
    ['/audit?cursor=1', {}, 400],
    ['/audit', { json: '{}' }, 405],
    ['/audit', { method: 'DELETE' }, 405],
    ['/audit/1', { method: 'DELETE' }, 404],
    ['/keys?reason=', { json: '{"plan":"free"}' }, 400],
    [`${key}/revoke?reason=%0A`, { method: 'POST' }, 400],
    [`${key}/unban?reason=a&reason=b`, { method: 'POST' }, 400],
    [`${key}/suspend?reason=a&reason=b`, { method: 'POST' }, 400],
    ['/keys/1/resume', { method: 'POST' }, 400],
    [key, { method: 'PATCH', json: '{"name":"x"}' }, 404],
    [key, { method: 'PATCH', json: '{"expiresAt":"2020-01-01T00:00:00Z"}' }, 400],
    [key, { method: 'PATCH', json: '{"name":null,"Name":null}' }, 400],
    [key, { method: 'PATCH', json: 'null' }, 400],
    ["/keys?cursor=';drop table pets;--", {}, 400],
    ['/keys/1', {}, 400],
    ['/keys/%00', {}, 400],
    ['/keys/%ff', {}, 400],
    [`/keys/${nobody.slice(1)}`, {}, 400],
    [key, {}, 404],
    [key, { method: 'PATCH', json: '{"plan":"pro"}' }, 404],
    [key, { method: 'PATCH', json: '{}' }, 400],
    [key, { method: 'PATCH' }, 400],
    [`${key}/rotate`, { method: 'POST' }, 404],
    [`${key}/rotate`, { json: '{"graceSeconds":-1}' }, 400],
    [`${key}/rotate`, { json: '{"graceSeconds":2592001}' }, 400],
    [`${key}/rotate`, { json: '{"grace":0}' }, 400],
    [`${key}/revoke`, { method: 'POST' }, 404],
    [`${key}/suspend`, { method: 'POST' }, 404],
    [`${key}/resume`, { method: 'POST' }, 404],
    [`${key}/unban`, { method: 'POST' }, 404],
    [key, { method: 'DELETE' }, 405],
    ['/keys', { method: 'PUT', json: '{}' }, 405],
    [`${key}/revoke`, {}, 405],
    [`${key}/suspend`, {}, 405],
    ['/', {}, 404],
    ['/Keys', {}, 404],
    ['/keys/', {}, 404],
    ['/nothing', {}, 404],
  ];

  test.each(cases)('%s %j is answered with %i', async (path, options, status) => {
    const answer = await admin.call(path, options);
    expect(answer).toMatchObject({
      status,
      body: { code: expect.any(String), message: expect.any(String), status },
    });
    expect(Object.keys(answer.body as object).sort()).toEqual(['code', 'message', 'status']);
    if (status === 405) expect(answer.headers.get('Allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  });
});
