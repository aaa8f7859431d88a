import { describe, expect, test, vi } from 'vitest';
import { checkApiKey, createApiKeySource } from './api-key-source.ts';

describe('a key', () => {
  test('is any visible ASCII', () => {
    expect(checkApiKey("!~aZ09_-.'")).toBe("!~aZ09_-.'");
  });

  test.each(['', undefined, null])('that is %j is missing', (apiKey) => {
    const missing = new TypeError('apiKey (or ANIMAL_STORE_API_KEY): missing');
    expect(() => checkApiKey(apiKey)).toThrow(missing);
  });

  test.each([
    42,
    'ast_secret\n',
    '\nast_secret',
    'ast secret',
    'ast_secr\u00e9t',
    'ast_\u0000',
    '\u2026',
  ])('%j is refused without being quoted', (apiKey) => {
    expect(() => checkApiKey(apiKey as string)).toThrow(
      new TypeError('apiKey (or ANIMAL_STORE_API_KEY): expected visible ASCII'),
    );
  });
});

describe('a source', () => {
  test('of a string gives that, and has no other', async () => {
    const [getKey, renewKey] = createApiKeySource('ast_key');
    expect(await getKey()).toBe('ast_key');
    expect(await renewKey('ast_key')).toBe(false);
  });

  test('of a function asks it once, for all calls', async () => {
    const ask = vi.fn(async () => 'ast_key');
    const [getKey] = createApiKeySource(ask);
    expect(await Promise.all([getKey(), getKey()])).toEqual(['ast_key', 'ast_key']);
    expect(await getKey()).toBe('ast_key');
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('asks once more for all calls whose key was refused', async () => {
    const keys = ['ast_old', 'ast_new'];
    const ask = vi.fn(() => keys.shift() ?? 'ast_none');
    const [getKey, renewKey] = createApiKeySource(ask);
    await getKey();
    expect(await Promise.all([renewKey('ast_old'), renewKey('ast_old')])).toEqual([true, true]);
    expect(await getKey()).toBe('ast_new');
    expect(await renewKey('ast_old')).toBe(true);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test('says so if the function gives the refused key again', async () => {
    const [, renewKey] = createApiKeySource(() => 'ast_key');
    expect(await renewKey('ast_key')).toBe(false);
  });

  test('asks again after a failure', async () => {
    const ask = vi.fn().mockRejectedValueOnce(new Error('vault')).mockResolvedValue('ast_key');
    const [getKey] = createApiKeySource(ask);
    await expect(getKey()).rejects.toThrow('vault');
    expect(await getKey()).toBe('ast_key');
  });
});
