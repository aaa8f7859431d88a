import type { IssuedOperator, OperatorRole } from '@animal-store/contract/admin';
import { sql } from 'drizzle-orm';
import type { Browser } from 'playwright-core';
import { beforeAll, vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { type Admin, adminToken, useAdmin } from './admin.ts';
import { openBrowser, openTab, type Tab, type TabOptions } from './browser.ts';
import { type ConsoleOptions, type ConsoleTab, openConsole } from './console-browser.ts';
import type { TestService } from './test-service.ts';

/** Starts a browser before the tests of a file, and ends it after them. */
function useBrowser(): Pick<Browser, 'newContext'> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });
  return { newContext: (options) => browser.newContext(options) };
}

/** A service, its operators' API, and a browser. */
export type Store = {
  readonly service: TestService;
  readonly admin: Admin;
  readonly browser: Pick<Browser, 'newContext'>;
  /** Opens the console, and logs in with the admin token, unless told otherwise. */
  open(options?: Partial<ConsoleOptions>): Promise<ConsoleTab>;
  /** Opens another page of the service. */
  openPage(path: string, options?: TabOptions): Promise<Tab>;
  createOperator(role: OperatorRole): Promise<IssuedOperator>;
  /** Creates a key whose calls lead to a ban, and has it banned. */
  bannedKey(key: object): Promise<{ readonly id: string; readonly token: string }>;
  /** What a key is answered. */
  statusOf(token: string, json?: string): Promise<number>;
  /** Ends all sessions of operators. */
  expireSessions(): Promise<void>;
};

/** One service and one browser, for all tests of a file. */
export function useConsole(): Store {
  const { service, admin } = useAdmin('postgres', {
    // The browser has it, too.
    clock: systemClock,
    // Bans at the third denial in a row.
    env: {
      ...{ BAN_MIN_STRIKES: '1', BAN_STRIKE_PERCENT: '0', BAN_GRACE_MS: '0' },
      // Pages show it soon.
      USAGE_FLUSH_MS: '50',
    },
  });
  const browser = useBrowser();
  return {
    service,
    admin,
    browser,
    open: (options) =>
      openConsole(browser, service.server.opsUrl, { token: adminToken, ...options }),
    openPage: (path, options) => openTab(browser, service.server.origin + path, options),
    statusOf: async (token, json) =>
      (await service.call('/pets', { token, ...(json !== undefined && { json }) })).status,
    async expireSessions() {
      await service.database.db.execute(sql`update operator_sessions set expires_at = now()`);
    },
    async createOperator(role) {
      const json = JSON.stringify({ name: `a ${role}`, role });
      return (await admin.call('/operators', { json })).body as IssuedOperator;
    },
    async bannedKey(key) {
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
