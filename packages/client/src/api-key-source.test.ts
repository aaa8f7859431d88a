import { describe, expect, test, vi } from 'vitest';
import { checkApiKey, createApiKeySource } from './api-key-source.ts';

test.each([
  ['', 'missing'],
  [undefined, 'missing'],
  ['Bearer ast_secret', 'expected the key without "Bearer"'],
  [42, 'expected visible ASCII'],
  ['ast_secret\n', 'expected visible ASCII'],
  ['\nast_secret', 'expected visible ASCII'],
  ['ast_secr\u00e9t', 'expected visible ASCII'],
])('the key %j is refused without being quoted: %s', (apiKey, why) => {
  expect(() => checkApiKey(apiKey)).toThrow(
    new TypeError(`apiKey (or ANIMAL_STORE_API_KEY): ${why}`),
  );
});

describe('a function', () => {
  test('is asked once for all calls, and once more for all whose key was refused', async () => {
    const keys = ["!~aZ09_-.'", 'ast_new'];
    const ask = vi.fn(() => keys.shift() ?? 'ast_none');
    const [getKey, renewKey] = createApiKeySource(ask);
    const [old, same] = await Promise.all([getKey(), getKey()]);
    expect([old, same]).toEqual(["!~aZ09_-.'", old]);
    expect(await Promise.all([renewKey(old), renewKey(old)])).toEqual([true, true]);
    expect(await getKey()).toBe('ast_new');
    expect(await renewKey(old)).toBe(true);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test('that failed is asked again', async () => {
    const ask = vi.fn().mockRejectedValueOnce(new Error('vault')).mockResolvedValue('ast_key');
    const [getKey] = createApiKeySource(ask);
    await expect(getKey()).rejects.toThrow('vault');
    expect(await getKey()).toBe('ast_key');
  });
});

test.each([
  ['a text', 'ast_key'],
  ['a function that gives the refused key again', () => 'ast_key'],
])('%s has no other key', async (_what, source) => {
  const [getKey, renewKey] = createApiKeySource(source);
  expect(await getKey()).toBe('ast_key');
  expect(await renewKey('ast_key')).toBe(false);
});
