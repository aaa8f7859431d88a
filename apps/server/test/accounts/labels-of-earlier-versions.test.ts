import type { ListedAccount } from '@animal-store/admin-contract';
import type { RateLimitStatus } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { createToken, hashToken, tokenPrefix } from '../../src/keys/token.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { connectTo } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

/** The number of the migration that adds accounts. */
const accountsMigration = 10;

test('API keys that an earlier version stored with an account keep their own limits until the account gets a plan', async () => {
  await using database = await createOldDatabase(accountsMigration);
  await using stack = new AsyncDisposableStack();
  const sql = stack.use(connectTo(database.url));

  /** Creates an API key as the previous version did, and returns its token. */
  async function createKey(account: string | null, plan: string, more = {}): Promise<string> {
    const token = createToken('key');
    const [key] = await sql`
      insert into api_keys ${sql({ name: 'x', account, plan, ...more })} returning id`;
    await sql`insert into api_tokens (hash, key_id, prefix)
      values (${hashToken(token)}, ${key?.['id']}, ${tokenPrefix(token)})`;
    return token;
  }
  const free = await createKey('C-17', 'free');
  const own = await createKey('C-17', 'enterprise', { per_minute: 7, per_day: 700 });
  const alone = await createKey(null, 'pro');
  await createKey('Gone/Ltd', 'free', { revoked_at: new Date() });

  const server = stack.use(
    await openLocalServer({ DATABASE_URL: database.url, ADMIN_TOKEN: adminToken }),
  );
  const admin = adminOf(server);
  /**
   * Sends a request and returns the state of the quota. The test compares only the requests that
   * remain in the day window, because a minute window may end during the test.
   */
  const use = async (token: string) => {
    const { status } = await call(`${server.baseUrl}/pets`, { token });
    const { body } = await call(`${server.baseUrl}/rate-limit`, { token });
    const { subject, windows } = body as RateLimitStatus;
    return [status, subject, windows.minute.limit, windows.day.remaining];
  };
  const listAccounts = async () =>
    (await admin.read<ListedAccount[]>('/accounts')).map(({ account, plan, suspension, keys }) => [
      account,
      plan,
      suspension,
      keys,
    ]);

  // Each API key has its own quota, even if another key has the same account.
  expect(await use(free)).toEqual([200, 'key', 60, 999]);
  expect(await use(own)).toEqual([200, 'key', 7, 699]);
  expect(await use(alone)).toEqual([200, 'key', 300, 9_999]);
  const labels = [
    ['C-17', null, null, 2],
    ['Gone/Ltd', null, null, 0],
  ];
  expect(await listAccounts()).toEqual(labels);

  // This part of the test acts as a replica of the previous version that is still running. It
  // creates an API key and moves another key to another account.
  expect(await use(await createKey('B-1', 'pro'))).toEqual([200, 'key', 300, 9_999]);
  await sql`update api_keys set account = 'B-2' where account is null`;
  const made = [
    ['B-1', null, null, 1],
    ['B-2', null, null, 1],
  ];
  expect(await listAccounts()).toEqual([...made, ...labels]);

  const put = (json: string) => admin.call('/accounts/C-17', { method: 'PUT', json });
  await put('{"plan":"pro"}');
  expect(await use(free)).toEqual([200, 'account', 300, 9_999]);
  expect(await use(own)).toEqual([200, 'account', 300, 9_998]);
  await put('{"plan":null}');
  expect(await use(own)).toEqual([200, 'key', 7, 698]);
});
