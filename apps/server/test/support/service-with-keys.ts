import { createApiKey } from '../../src/keys/key-management.ts';
import { freezableClocks, freezeClocks } from './freeze-clocks.ts';
import { startService, type TestService } from './test-service.ts';

/** Tokens by the name of their key. */
export type Keys = Record<string, string>;

/**
 * Starts a service with named keys, so that each test can use up a quota of its own.
 *
 * Its clocks stand still at `now` (Unix time in seconds): no quota window in memory ends while a slow
 * machine runs the tests.
 */
export async function startWithKeys(
  quotas: Record<string, { perMinute: number; perDay: number }>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ service: TestService; keys: Keys; now: number }> {
  const keys: Keys = {};
  const service = await startService('postgres', {
    env: { ...freezableClocks, ...env },
    async prepare(db) {
      for (const [name, quota] of Object.entries(quotas)) {
        keys[name] = (await createApiKey(db, { name, plan: 'enterprise', quota })).token;
      }
    },
  });
  const now = (await freezeClocks(service.server)) / 1_000;
  return { service, keys, now };
}
