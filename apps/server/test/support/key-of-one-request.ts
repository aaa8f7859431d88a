import type { Database } from '../../src/database/database.ts';
import { createKeyRepository } from '../../src/keys/key-repository.ts';

/** Creates a key that is denied from its second request on, and returns its token. */
export async function createKeyOfOneRequest(db: Database): Promise<string> {
  const quota = { perMinute: 1, perDay: 1 };
  const key = await createKeyRepository(db).create({ name: 'one', plan: 'enterprise', quota });
  return key.token;
}
