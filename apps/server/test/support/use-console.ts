import type { IssuedOperator, OperatorRole } from '@animal-store/contract/admin';
import type { Browser } from 'playwright-core';
import { beforeAll, vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { type Admin, adminToken, useAdmin } from './admin.ts';
import { openBrowser } from './browser.ts';
import { type ConsoleOptions, type ConsoleTab, openConsole } from './console-browser.ts';
import type { TestService } from './test-service.ts';

/** Starts a browser before the tests of a file, and ends it after them. */
export function useBrowser(): Pick<Browser, 'newContext'> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });
  return { newContext: (options) => browser.newContext(options) };
}

/** A service, its operators' API, and a browser, for the journeys of a file. */
export function useConsole(env: Readonly<Record<string, string>> = {}): {
  readonly service: TestService;
  readonly admin: Admin;
  readonly browser: Pick<Browser, 'newContext'>;
  /** Opens the console, and logs in with the admin token, unless told otherwise. */
  open(options?: Partial<ConsoleOptions>): Promise<ConsoleTab>;
  createOperator(role: OperatorRole): Promise<IssuedOperator>;
  /** Creates a key whose calls lead to a ban, and has it banned. */
  bannedKey(key: object): Promise<{ readonly id: string; readonly token: string }>;
} {
  const { service, admin } = useAdmin('postgres', {
    // The browser has it, too.
    clock: systemClock,
    // Bans at the third denial in a row.
    env: { BAN_MIN_STRIKES: '1', BAN_STRIKE_PERCENT: '0', BAN_GRACE_MS: '0', ...env },
  });
  const browser = useBrowser();
  return {
    service,
    admin,
    browser,
    open: (options) =>
      openConsole(browser, service.server.opsUrl, { token: adminToken, ...options }),
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
