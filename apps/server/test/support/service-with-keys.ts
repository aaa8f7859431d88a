import { createApiKey } from '../../src/keys/key-creation.ts';
import { startService, type TestService } from './service.ts';

/** Tokens by the name of their key. */
export type Keys = Record<string, string>;

/** Starts a service with named keys, so that each test can use up a quota of its own. */
export async function startWithKeys(
  quotas: Record<string, { perMinute: number; perDay: number }>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ service: TestService; keys: Keys }> {
  const keys: Keys = {};
  const service = await startService('embedded', {
    env,
    async prepare(db) {
      for (const [name, quota] of Object.entries(quotas)) {
        keys[name] = (await createApiKey(db, { name, plan: 'enterprise', quota })).token;
      }
    },
  });
  return { service, keys };
}
