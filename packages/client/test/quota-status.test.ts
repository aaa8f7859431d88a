import { startServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createClient, isApiError } from '../src/index.ts';
import { rejection } from './rejection.ts';

// `rateLimit()` against the real service, with a Free key: 60 requests a minute, 1,000 a day.

test('rateLimit() tells of both windows, costs nothing, and works while denied and banned', async () => {
  await using server = await startServer();
  const { baseUrl } = server;
  const apiKey = server.demoKey ?? expect.unreachable('the first start prints a key');
  const store = createClient({ baseUrl, apiKey, maxRetryAfterMs: 0 });
  const remaining = async () => {
    const { windows } = await store.rateLimit();
    return { minute: windows.minute.remaining, day: windows.day.remaining };
  };

  expect(await store.rateLimit()).toEqual({
    plan: 'free',
    subject: 'key',
    windows: {
      minute: { limit: 60, remaining: 60, resetsAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      day: { limit: 1_000, remaining: 1_000, resetsAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    },
    bannedUntil: null,
    warned: false,
  });
  await store.listPets();
  expect(await remaining()).toEqual({ minute: 59, day: 999 });
  expect(await remaining()).toEqual({ minute: 59, day: 999 });

  while (await store.listPets().then(Boolean, () => false));
  expect(await rejection(store.listPets())).toMatchObject({ name: 'RateLimitError', attempts: 0 });
  expect(await remaining()).toEqual({ minute: 0, day: 940 });
  expect((await store.rateLimit()).bannedUntil).toBeNull();

  // Somebody else uses the key without the client, and does not care.
  // Many at once, because on a busy machine the minute would end before a ban.
  const headers = { Authorization: `Bearer ${apiKey}` };
  const isBanned = async () => {
    const response = await fetch(`${baseUrl}/pets`, { headers });
    return ((await response.json()) as { code: string }).code === 'key_temporarily_banned';
  };
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, isBanned));
    return answers.includes(true);
  });
  const { bannedUntil } = await store.rateLimit();
  expect(Date.parse(bannedUntil ?? '')).toBeGreaterThan(Date.now());

  const other = createClient({ baseUrl, apiKey: 'ast_unknown', maxRetries: 0 });
  expect(isApiError(await rejection(other.rateLimit()), 401)).toBe(true);
});
