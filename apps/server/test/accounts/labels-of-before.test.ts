import type { RateLimitStatus } from '@animal-store/contract';
import type { AuditEntry, ListedAccount, ListedKey } from '@animal-store/contract/admin';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createToken, hashToken, tokenPrefix } from '../../src/keys/token.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

/** The number of the migration that brings accounts. */
const accountsMigration = 10;

test('keys with labels of the version before are limited and listed as before, until their account gets a plan', async () => {
  await using database = await createOldDatabase(accountsMigration);
  await using stack = new AsyncDisposableStack();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  stack.defer(() => sql.end());

  /** Creates a key in the way in which the version before does, and gives its token. */
  async function createKey(name: string, account: string | null, plan: string): Promise<string> {
    const token = createToken('key');
    const numbers = plan === 'enterprise' ? [7, 700] : [null, null];
    const [key] = await sql`
      insert into api_keys (name, account, plan, per_minute, per_day)
      values (${name}, ${account}, ${plan}, ${numbers[0] ?? null}, ${numbers[1] ?? null}) returning id`;
    await sql`insert into api_tokens (hash, key_id, prefix)
      values (${hashToken(token)}, ${key?.['id']}, ${tokenPrefix(token)})`;
    return token;
  }

  const tokens = {
    free: await createKey('free', 'C-17', 'free'),
    own: await createKey('own', 'C-17', 'enterprise'),
    alone: await createKey('alone', null, 'pro'),
    revoked: await createKey('revoked', 'Gone/Ltd', 'free'),
    suspended: await createKey('suspended', 'C-18', 'free'),
  };
  await sql`update api_keys set revoked_at = now() where name = 'revoked'`;
  await sql`update api_keys set suspended_at = now(), suspension_reason = 'unpaid'
    where name = 'suspended'`;

  const server = stack.use(
    await openLocalServer({ DATABASE_URL: database.url, ADMIN_TOKEN: adminToken }),
  );
  const admin = adminOf(server);
  const statusOf = async (token: string) =>
    (await call(`${server.baseUrl}/pets`, { token })).status;
  /** Makes a request, and tells what it is counted against. The minute may be over, the day is not. */
  const use = async (token: string) => {
    const status = await statusOf(token);
    const { body } = await call(`${server.baseUrl}/rate-limit`, { token });
    const { subject, windows } = body as RateLimitStatus;
    const { minute, day } = windows;
    return { status, subject, perMinute: minute.limit, leftOfDay: day.remaining };
  };
  const listAccounts = async () =>
    ((await admin.call('/accounts')).body as ListedAccount[]).map(
      ({ account, plan, quota, suspension, keys }) => ({ account, plan, quota, suspension, keys }),
    );
  const ofKey = { status: 200, subject: 'key' };
  const label = { plan: null, quota: null, suspension: null };

  // Each key has the windows of its own plan, also two with the same label.
  expect(await use(tokens.free)).toEqual({ ...ofKey, perMinute: 60, leftOfDay: 999 });
  expect(await use(tokens.own)).toEqual({ ...ofKey, perMinute: 7, leftOfDay: 699 });
  expect(await use(tokens.free)).toEqual({ ...ofKey, perMinute: 60, leftOfDay: 998 });
  expect(await use(tokens.alone)).toEqual({ ...ofKey, perMinute: 300, leftOfDay: 9_999 });
  expect(await statusOf(tokens.revoked)).toBe(401);
  expect(await statusOf(tokens.suspended)).toBe(403);

  const keys = (await admin.call('/keys?sort=name')).body as ListedKey[];
  expect(
    keys.map(({ name, account, plan, state, suspension, accountSuspension }) => [
      ...[name, account, plan, state],
      ...[suspension?.reason ?? null, accountSuspension],
    ]),
  ).toEqual([
    ['alone', null, 'pro', 'active', null, null],
    ['free', 'C-17', 'free', 'active', null, null],
    ['own', 'C-17', 'enterprise', 'active', null, null],
    ['revoked', 'Gone/Ltd', 'free', 'revoked', null, null],
    ['suspended', 'C-18', 'free', 'suspended', 'unpaid', null],
  ]);
  expect(await listAccounts()).toEqual([
    { account: 'C-17', ...label, keys: 2 },
    { account: 'C-18', ...label, keys: 1 },
    { account: 'Gone/Ltd', ...label, keys: 0 },
  ]);
  expect((await admin.call('/audit')).body as AuditEntry[]).toEqual([]);

  // A replica of the version before still runs, and makes a key and moves another.
  const late = await createKey('late', 'B-1', 'pro');
  await sql`update api_keys set account = 'B-2' where name = 'alone'`;
  expect(await use(late)).toEqual({ ...ofKey, perMinute: 300, leftOfDay: 9_999 });
  expect((await listAccounts()).slice(0, 2)).toEqual([
    { account: 'B-1', ...label, keys: 1 },
    { account: 'B-2', ...label, keys: 1 },
  ]);

  await admin.call('/accounts/C-17', { method: 'PUT', json: '{"plan":"pro"}' });
  const ofAccount = { ...ofKey, subject: 'account', perMinute: 300 };
  expect(await use(tokens.free)).toEqual({ ...ofAccount, leftOfDay: 9_999 });
  expect(await use(tokens.own)).toEqual({ ...ofAccount, leftOfDay: 9_998 });
  await admin.call('/accounts/C-17', { method: 'PUT', json: '{"plan":null}' });
  expect(await use(tokens.own)).toEqual({ ...ofKey, perMinute: 7, leftOfDay: 698 });
});
