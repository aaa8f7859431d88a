import type { IssuedOperator, OperatorRole } from '@animal-store/admin-contract';
import { defaultBanPolicy } from '@animal-store/contract';
import { systemClock } from '@animal-store/runtime';
import { sql } from 'drizzle-orm';
import type { Browser } from 'playwright-core';
import { beforeAll, vi } from 'vitest';
import { adminToken, useAdmin } from './admin.ts';
import { openBrowser, openTab, type TabOptions } from './browser.ts';
import { openConsole } from './console-browser.ts';

/** A service with its admin API, and a browser for its pages. */
export type Store = ReturnType<typeof useConsole>;

/** Opens one service and one browser for all tests of a file. */
export function useConsole() {
  const { service, admin } = useAdmin('postgres', {
    // The service uses the clock of the machine, because the browser also uses it.
    clock: systemClock,
    // With these settings, the third denied request in a row leads to a ban.
    quotas: { banPolicy: { ...defaultBanPolicy, minStrikes: 1, strikeShare: 0, graceMs: 0 } },
    // Usage counts are written often, so that pages show them soon.
    usage: { flushMs: 50 },
  });
  let launched: Browser;
  beforeAll(async () => {
    launched = await openBrowser();
    return () => launched.close();
  });
  const browser: Pick<Browser, 'newContext'> = {
    newContext: (options) => launched.newContext(options),
  };
  return {
    service,
    admin,
    browser,
    /** Opens the console and logs in, by default with the admin token. */
    open: (options: TabOptions & { readonly token?: string | null } = {}) =>
      openConsole(browser, service.server.opsUrl, { token: adminToken, ...options }),
    /** Opens a page of the public port, such as the documentation. */
    openPage: (path: string, options?: TabOptions) =>
      openTab(browser, service.server.origin + path, options),
    /** Sends a request with an API key and returns the status of the response. */
    statusOf: async (token: string, json?: string) =>
      (await service.call('/pets', { token, ...(json !== undefined && { json }) })).status,
    /** Ends all sessions of operators. */
    async expireSessions() {
      await service.database.db.execute(sql`update operator_sessions set expires_at = now()`);
    },
    async createOperator(role: OperatorRole) {
      const json = JSON.stringify({ name: `a ${role}`, role });
      return (await admin.call('/operators', { json })).body as IssuedOperator;
    },
    /** Creates API keys in an account, with the names `<account> 1`, `<account> 2` and so on. */
    createKeys: (account: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          admin.create(JSON.stringify({ name: `${account} ${n + 1}`, account, plan: 'free' })),
        ),
      ),
    /** Creates an API key and sends requests until the key is banned. */
    async bannedKey(key: object) {
      const quota = { perMinute: 1, perDay: 100 };
      const { key: made, token } = await admin.create(
        JSON.stringify({ plan: 'enterprise', quota, ...key }),
      );
      await vi.waitUntil(
        async () =>
          (await service.call('/pets', { token })).text.includes('key_temporarily_banned'),
        { timeout: 10_000 },
      );
      return { id: made.id, token };
    },
  };
}
