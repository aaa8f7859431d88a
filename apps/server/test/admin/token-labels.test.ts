import type { Key } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { useAdmin } from '../support/admin.ts';

const { admin } = useAdmin();

describe('a label that holds a token is refused, and not repeated:', () => {
  const token = createToken();
  const labels = {
    'the token of a key': token,
    'the token of an operator': createToken('operator'),
    'the token of a session': createToken('session'),
    'a token within a text': `was ${token}, leaked`,
    'a token without a space before it': `Bearer%20${token}`,
    'a token that was cut': token.slice(0, 20),
    'a token without its scheme': token.slice(4),
  };

  test.each(Object.entries(labels))('%s', async (_what, label) => {
    const { key } = await admin.create('{"plan":"free","name":"before","account":"before"}');
    const keys = (await admin.call('/keys')).text;
    const operators = (await admin.call('/operators')).text;
    const attempts = [
      ['name', '/keys', 'POST', { plan: 'free', name: label }],
      ['account', '/keys', 'POST', { plan: 'free', account: label }],
      ['name', `/keys/${key.id}`, 'PATCH', { name: label }],
      ['account', `/keys/${key.id}`, 'PATCH', { account: label }],
      ['name', '/operators', 'POST', { name: label, role: 'viewer' }],
    ] as const;
    for (const [field, path, method, body] of attempts) {
      const answer = await admin.call(path, { method, json: JSON.stringify(body) });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', status: 400 },
      });
      const { message } = answer.body as { message: string };
      const start = `${field}: expected no token: everybody who sees this could use it, got "`;
      expect(message.startsWith(start)).toBe(true);
      expect(message).toContain('…');
      expect(message).not.toContain(label.slice(-10));
    }
    expect((await admin.call('/keys')).text).toBe(keys);
    expect((await admin.call('/operators')).text).toBe(operators);
  });
});

test.each(['forecast_production', 'blast_0123456789', 'ast_0000', 'ast'])(
  '%s is a label, and the audit log shows it',
  async (name) => {
    const { key } = await admin.create(JSON.stringify({ plan: 'free', name, account: name }));
    expect(key).toMatchObject({ name, account: name } satisfies Partial<Key>);
    const { body } = await admin.call(`/audit?keyId=${key.id}`);
    expect(body).toMatchObject([{ subject: { name, account: name }, after: { name } }]);
  },
);
