import { expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { expectError } from '../support/expectations.ts';
import { holdBody, newPet } from '../support/held-request.ts';

const { service, admin } = useAdmin();

const post = (path: string, json = '{}') => admin.call(path, { method: 'POST', json });
const readOnly = '{"scopes":["pets:read"]}';

test.each([
  ['revoked', 401, 'unauthorized', (id: string) => post(`/keys/${id}/revoke`)],
  ['suspended', 403, 'key_suspended', (id: string) => post(`/keys/${id}/suspend`)],
  [
    'rotated',
    401,
    'unauthorized',
    (id: string) => post(`/keys/${id}/rotate`, '{"graceSeconds":0}'),
  ],
  [
    ...(['made read-only', 403, 'insufficient_scope'] as const),
    (id: string) => admin.call(`/keys/${id}`, { method: 'PATCH', json: readOnly }),
  ],
  [
    ...(['suspended with its account', 403, 'key_suspended'] as const),
    (_: string, account: string) => post(`/accounts/${account}/suspend`),
  ],
] as const)(
  'the public API refuses to create an animal when its API key is %s while the request body arrives',
  async (...given) => {
    const [, status, code, end] = given;
    // Each API key has its own account. If the account of the last test were used again, it would
    // have to be resumed, and the announcement of this change could arrive at any time. The service
    // would then look up the API key a second time, and might see its end before the body.
    const account = crypto.randomUUID();
    const { key, token } = await admin.create(JSON.stringify({ plan: 'free', account }));
    const list = await service.call('/pets', { token });
    expect(list.status).toBe(200);
    using held = await holdBody(`${service.server.baseUrl}/pets`, { token, json: newPet });
    expect((await end(key.id, account)).status).toBe(200);
    const answer = await held.finish();
    expectError(answer, status, code);
    // The quota has counted the request once, when the request was admitted, and not again after
    // the body had arrived.
    expect(answer.headers.get('RateLimit')).toContain('r=58');
    const all = await service.call('/pets');
    expect(all.text).toBe(list.text);
  },
);

test('the public API creates an animal and counts the request once when only the name of the API key changes before the body has arrived', async () => {
  const { key, token } = await admin.create('{"plan":"free"}');
  using held = await holdBody(`${service.server.baseUrl}/pets`, { token, json: newPet });
  await admin.call(`/keys/${key.id}`, { method: 'PATCH', json: '{"name":"another"}' });
  const answer = await held.finish();
  expect(answer.status).toBe(201);
  expect(answer.headers.get('RateLimit')).toContain('r=59');
});
