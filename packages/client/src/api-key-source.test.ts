import { describe, expect, test, vi } from 'vitest';
import { checkApiKey, createApiKeySource } from './api-key-source.ts';

test.each([
  ['', 'missing'],
  [undefined, 'missing'],
  ['Bearer ast_secret', 'expected the API key without "Bearer"'],
  [42, 'expected visible ASCII'],
  ['ast_secret\n', 'expected visible ASCII'],
  ['\nast_secret', 'expected visible ASCII'],
  ['ast_secr\u00e9t', 'expected visible ASCII'],
])('checkApiKey refuses the key %j without quoting the key in the error: %s', (apiKey, why) => {
  expect(() => checkApiKey(apiKey)).toThrow(
    new TypeError(`apiKey (or ANIMAL_STORE_API_KEY): ${why}`),
  );
});

describe('a function as the key', () => {
  test('the client calls the function that provides the API key once for all calls, and again after the service has refused the key', async () => {
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

  test('the client calls the function that provides the API key again after this function has failed', async () => {
    const ask = vi.fn().mockRejectedValueOnce(new Error('vault')).mockResolvedValue('ast_key');
    const [getKey] = createApiKeySource(ask);
    await expect(getKey()).rejects.toThrow('vault');
    expect(await getKey()).toBe('ast_key');
  });
});

test.each([
  ['a string', 'ast_key'],
  ['a function that returns the refused key again', () => 'ast_key'],
])('renewKey returns false when the source of the API key is %s', async (_what, source) => {
  const [getKey, renewKey] = createApiKeySource(source);
  expect(await getKey()).toBe('ast_key');
  expect(await renewKey('ast_key')).toBe(false);
});
