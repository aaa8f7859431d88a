import type { IssuedKey, KeyDetails } from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';

const anyToken = expect.stringMatching(/^ast_[0-9A-Za-z]{36}$/);

describe('rotating a key', () => {
  const { service, admin } = useAdmin();

  const use = async (token: string) => (await service.call('/pets', { token })).status;
  const show = async (id: string) => (await admin.call(`/keys/${id}`)).body as KeyDetails;
  const rotate = async (id: string, json: string) =>
    (await admin.call(`/keys/${id}/rotate`, { json })).body as IssuedKey;

  test('keeps the old token valid for 24 hours beside the new one', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const rotated = await rotate(key.id, '');
    expect(rotated).toEqual({
      key: { ...key, tokens: [expect.any(Object), expect.any(Object)] },
      token: anyToken,
    });
    const [newest, replaced] = rotated.key.tokens;
    expect(newest).toMatchObject({ prefix: rotated.token.slice(0, 8), expiresAt: null });
    expect(replaced?.prefix).toBe(token.slice(0, 8));
    const graceMs = Date.parse(replaced?.expiresAt ?? '') - Date.parse(newest?.createdAt ?? '');
    expect(graceMs).toBe(86_400_000);

    expect([await use(token), await use(rotated.token)]).toEqual([200, 200]);
    // They are one key: what one uses, the other lacks.
    expect((await show(key.id)).usage.windows.minute.remaining).toBe(58);
  });

  test('without a grace period ends the old token at once', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const rotated = await rotate(key.id, '{"graceSeconds":0}');
    expect([await use(token), await use(rotated.token)]).toEqual([401, 200]);
    expect(rotated.key.tokens).toHaveLength(1);
  });

  test('does not extend the grace period of an earlier rotation', async () => {
    const { key, token } = await admin.create('{"plan":"free"}');
    const first = await rotate(key.id, '{"graceSeconds":60}');
    const second = await rotate(key.id, '{"graceSeconds":3600}');
    expect(second.key.tokens.map(({ prefix }) => prefix)).toEqual(
      [second.token, first.token, token].map((each) => each.slice(0, 8)),
    );
    expect(second.key.tokens[2]).toEqual(first.key.tokens[1]);
  });

  test('by two operators at once creates two valid tokens', async () => {
    const { key } = await admin.create('{"plan":"free"}');
    const json = '{"graceSeconds":3600}';
    const rotations = await Promise.all([rotate(key.id, json), rotate(key.id, json)]);
    expect(await Promise.all(rotations.map(({ token }) => use(token)))).toEqual([200, 200]);
    expect((await show(key.id)).tokens).toHaveLength(3);
  });

  test('by many operators at once leaves one token that is not replaced, and lists it first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key } = await admin.create('{"plan":"free"}');
      await Promise.all(Array.from({ length: 4 }, () => rotate(key.id, '{"graceSeconds":60}')));
      const isReplaced = (await show(key.id)).tokens.map(({ expiresAt }) => expiresAt !== null);
      expect(isReplaced).toEqual([false, true, true, true, true]);
    }
  });
});
