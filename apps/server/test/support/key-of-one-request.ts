import type { Database } from '../../src/database/database.ts';
import { createApiKey } from '../../src/keys/key-creation.ts';

/** Creates a key that is denied from its second request on, and returns its token. */
export async function createKeyOfOneRequest(db: Database): Promise<string> {
  const quota = { perMinute: 1, perDay: 1 };
  const key = await createApiKey(db, { name: 'one', plan: 'enterprise', quota });
  return key.token;
}
