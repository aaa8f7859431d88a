import type { IssuedSession } from '@animal-store/admin-contract';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

test('a browser tab ignores a session that the service has refused in this tab, even if another tab offers the session', async () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  });
  const { beginSession, expireSession } = await import('./session.ts');
  const { shareSession } = await import('./share-session.ts');
  const operator = { id: 'ann', name: 'Ann', role: 'owner' } as const;
  const of = {
    operator,
    operations: [],
    usageKeptSeconds: { minute: 172_800, hour: 7_776_000, day: 34_560_000 },
    expiresAt: '2026-01-01T00:00:00.000Z',
  };
  const issued = (token: string): IssuedSession => ({ token, session: of });
  beginSession(issued('own'));
  shareSession();

  const others = new BroadcastChannel('animal-store-session');
  const nextMessage = async () => {
    const heard = new Promise<MessageEvent>((resolve) => {
      others.addEventListener('message', resolve, { once: true });
    });
    return (await heard).data;
  };
  /** Expires the session of the tab under test, and offers it the sessions of other tabs. */
  const replace = async (...offers: string[]) => {
    const request = nextMessage();
    expireSession();
    const { by } = await request;
    for (const token of offers) {
      others.postMessage({ kind: 'session', issued: issued(token), for: by });
    }
    others.postMessage({ kind: 'wanted', by: 'another' });
    return (await nextMessage()).issued.token;
  };
  expect(await replace('first', 'second')).toBe('first');
  expect(await replace('own', 'first', 'second')).toBe('second');
  expect(await replace('own', 'first', 'second', 'third')).toBe('third');
  others.close();
});
