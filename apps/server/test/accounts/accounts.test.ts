import type {
  AccountDetails,
  AuditEntry,
  KeyDetails,
  ListedAccount,
  ListedKey,
  ServiceLedger,
} from '@animal-store/admin-contract';
import { createClockAtNoon } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { accounts, apiKeys } from '../../src/schema/schema.ts';
import { useAdmin } from '../support/admin.ts';
import { banOf, writeBans } from '../support/write-bans.ts';

// `account-search.test.ts` tests the lists of accounts.

/** Returns the name of an account that no other test uses. */
const newAccount = () => `account-${crypto.randomUUID()}`;

const refusal = (message: unknown) => ({ code: 'invalid_request', message, status: 400 });

const { service, admin } = useAdmin('postgres', {
  clock: createClockAtNoon(),
  usage: { flushMs: 20 },
});

const pathOf = (account: string) => `/accounts/${encodeURIComponent(account)}`;
const show = (account: string) => admin.read<AccountDetails>(pathOf(account));
const put = (account: string, plan: object, query = '') =>
  admin.call(pathOf(account) + query, { method: 'PUT', json: JSON.stringify(plan) });
const post = (path: string) => admin.call(path, { method: 'POST' });
const create = (key: object) => admin.create(JSON.stringify({ name: 'x', ...key }));
const move = (id: string, account: string | null) =>
  admin.call(`/keys/${id}`, { method: 'PATCH', json: JSON.stringify({ account }) });
const listAccounts = (query: string) => admin.read<ListedAccount[]>(`/accounts?${query}`);
const listKeys = (query: string) => admin.read<ListedKey[]>(`/keys?${query}`);
const use = async (token: string) => (await service.call('/pets?limit=1', { token })).status;
const useAll = async (token: string, times: number) => {
  const statuses: number[] = [];
  while (statuses.length < times) statuses.push(await use(token));
  return statuses;
};
/**
 * Advances the clock until the server has written the request counts to the usage tables. The admin
 * API reads the counts from these tables.
 */
const untilCounted = () => service.server.pass(5_000);
/** Returns the audit entries about the account itself, oldest first. */
const auditOf = async (account: string) => {
  const path = `/audit?limit=100&account=${encodeURIComponent(account)}`;
  const entries = (await admin.read<AuditEntry[]>(path)).toReversed();
  return entries
    .filter(({ subject }) => subject.type === 'account')
    .map(({ action, before, after, reason }) => ({ action, before, after, reason }));
};

test('all API keys of an account with a plan share one quota, and the admin API shows this quota for the account and for each API key', async () => {
  const account = newAccount();
  const quota = { perMinute: 3, perDay: 50 };
  const plan = 'enterprise';
  const made = await put(account, { plan, quota });
  expect(made.body).toEqual({ account, plan, quota, suspension: null, keys: 0 });
  const [one, other] = [await create({ account }), await create({ account, plan: 'business' })];
  expect(one.key).toMatchObject({ plan: 'free', account });

  expect(await useAll(one.token, 2)).toEqual([200, 200]);
  expect(await useAll(other.token, 2)).toEqual([200, 429]);
  const minute = { limit: 3, remaining: 0 };
  const day = { limit: 50, remaining: 47 };
  for (const { token } of [one, other]) {
    expect(await use(token)).toBe(429);
    const status = await service.call('/rate-limit', { token });
    expect(status.body).toMatchObject({ plan, subject: 'account', windows: { minute, day } });
    // The response to a caller contains neither the account's name nor its other API keys.
    expect(status.text).not.toContain(account);
  }
  // The list of API keys shows two plans for a key: the plan of the account, which applies, and the
  // plan of the key itself. The key's own plan has no effect while the account has a plan.
  const inForce = { subject: 'account', plan, quota };
  const own = { plan: 'business', quota: { perMinute: 1_000 }, inForce, state: 'active' };
  expect((await listKeys(`account=${account}`))[0]).toMatchObject(own);
  const details = await admin.read<KeyDetails>(`/keys/${other.key.id}`);
  const usage = { subject: 'account', plan, windows: { minute } };
  expect(details).toMatchObject({ ...own, accountSuspension: null, usage });
  await untilCounted();
  expect(await show(account)).toMatchObject({
    ...{ keys: 2, requestsToday: 8 },
    usage: { scope: 'service', windows: { minute, day } },
    newestKeys: [{ id: other.key.id }, { id: one.key.id }],
    busiestKeys: Array(2).fill({ plan, requests: 4 }),
  });
});

test('the details of an account list every banned API key, and the API keys that have used up their own limits', async () => {
  const account = newAccount();
  const quota = { perMinute: 1, perDay: 10 };
  const oldest = await create({ account, plan: 'free' });
  const full = await create({ account, plan: 'enterprise', quota });
  const { db } = service.database;
  await db.insert(apiKeys).values(Array(100).fill({ name: 'x', account, plan: 'free' }));
  const revoked = await create({ account, plan: 'free' });
  // The test writes the bans itself, as replicas of the service do while Redis is unavailable.
  const ban = banOf(oldest.key.id, 10);
  await writeBans(db, banOf(oldest.key.id, 5), ban, banOf(revoked.key.id, 5));
  await post(`/keys/${revoked.key.id}/revoke`);
  expect(await useAll(full.token, 2)).toEqual([200, 429]);
  await untilCounted();
  const counted = { keys: 102, bannedKeys: 1, requestsToday: 2, deniedToday: 1 };
  expect(await listAccounts(`anyCaseOf=${account}`)).toMatchObject([counted]);
  const bans = [{ keyId: oldest.key.id, name: 'x', until: ban.until }];
  expect(await admin.read('/overview')).toMatchObject({ keys: { banned: 1 }, bans });
  expect(await show(account)).toMatchObject({
    ...{ ...counted, bans },
    fullKeys: [{ keyId: full.key.id, name: 'x', windows: { minute: { limit: 1, remaining: 0 } } }],
  });
  // While the account has a plan, the plans of its API keys have no effect.
  await put(account, { plan: 'pro' });
  expect((await show(account)).fullKeys).toEqual([]);
  // The details of an account list only its newest 100 API keys, but count all suspended keys. The
  // suspended key is the oldest of 102 keys, so the count includes a key that is not in the list.
  await post(`/keys/${oldest.key.id}/suspend`);
  expect(await show(account)).toMatchObject({ suspendedKeys: 1 });
});

test('the admin API normalizes the Unicode of account names, but treats names in upper and lower case as different accounts', async () => {
  const account = `${newAccount()} \u00e9`;
  for (const given of [`${account}\u00a0`, account.replace(' ', '\u00a0').normalize('NFD')]) {
    expect((await create({ account: given, plan: 'free' })).key.account).toBe(account);
    expect((await put(given, { plan: 'free' })).body).toMatchObject({ account, plan: 'free' });
  }
  const { key, token } = await create({ account: account.toUpperCase(), plan: 'free' });
  expect(await listAccounts(`anyCaseOf=${encodeURIComponent(account)}`)).toMatchObject([
    { account: account.toUpperCase(), plan: null, keys: 1 },
    { account, plan: 'free', quota: { perMinute: 60, perDay: 1_000 }, keys: 2 },
  ]);
  expect((await move(key.id, ` ${account}`)).body).toMatchObject({ account });
  // Regression: with a name that was not normalized, lists and reports were empty.
  await use(token);
  await untilCounted();
  for (const given of [`${account} `, account.normalize('NFD')]) {
    const filter = `account=${encodeURIComponent(given)}`;
    expect(await listKeys(filter)).toHaveLength(3);
    expect(await auditOf(given)).toHaveLength(1);
    for (const query of [filter, `${filter}&groupBy=key`]) {
      const { rows } = await admin.read<ServiceLedger>(`/usage?${query}`);
      expect(rows).toMatchObject([{ operation: 'listPets', outcome: 'ok', requests: 1 }]);
    }
  }

  const message = 'account: expected no invisible characters, such as zero-width spaces or joiners';
  const invisible = `${account}\u200b`;
  const json = JSON.stringify({ account: invisible, plan: 'free', name: 'x' });
  expect((await admin.call('/keys', { json })).body).toEqual(refusal(message));
  expect((await put(invisible, { plan: 'free' })).body).toEqual(refusal(message));
  expect((await move(key.id, '..')).body).toEqual(
    refusal(expect.stringContaining('expected a name other than "." and ".."')),
  );
  // An account that an earlier version created keeps its name, even if the name is no longer valid.
  await service.database.db.insert(accounts).values({ name: invisible });
  expect((await put(invisible, { plan: 'pro' })).body).toMatchObject({ account: invisible });
  expect((await create({ account: invisible })).key.account).toBe(invisible);
  expect(await listKeys(`account=${encodeURIComponent(invisible)}`)).toHaveLength(1);
});

test('the operation "credit" sets the request counts of an account or an API key to zero, and is recorded in the audit log', async () => {
  const account = newAccount();
  const quota = { perMinute: 2, perDay: 5 };
  await put(account, { plan: 'enterprise', quota });
  const { key, token } = await create({ account });
  const own = await create({ plan: 'enterprise', quota });
  const credit = (path: string) => post(`${path}/credit?reason=our%20fault`);
  for (const [path, with_] of [
    [pathOf(account), token],
    [`/keys/${own.key.id}`, own.token],
  ] as const) {
    expect(await useAll(with_, 3)).toEqual([200, 200, 429]);
    expect((await credit(path)).status).toBe(200);
    expect(await useAll(with_, 3)).toEqual([200, 200, 429]);
  }
  const change = {
    before: { used: { minute: 2, day: 2 } },
    after: { used: { minute: 0, day: 0 } },
    reason: 'our fault',
  };
  expect((await auditOf(account)).at(-1)).toEqual({ action: 'account.changed', ...change });
  const [entry] = await admin.read<AuditEntry[]>(`/audit?keyId=${own.key.id}`);
  expect(entry).toMatchObject({ action: 'key.changed', ...change });

  // The service refuses to set the request counts of this API key to zero, because the windows of
  // its account count its requests.
  const ofAccount = `account: expected a key with its own limits, but this key shares the limits of the account ${account}. Reset the usage of the account instead.`;
  expect((await credit(`/keys/${key.id}`)).body).toEqual(refusal(ofAccount));
  await put(account, { plan: null });
  const ofKeys =
    'plan: expected an account with a plan, but this account has none, so each key has its own limits. Reset the usage of a key instead.';
  expect((await credit(pathOf(account))).body).toEqual(refusal(ofKeys));
});

test('the service refuses all API keys of a suspended account, including new API keys, until the account is resumed', async () => {
  const account = newAccount();
  const { key, token } = await create({ account, plan: 'free' });
  const suspended = await post(`${pathOf(account)}/suspend?reason=unpaid`);
  const suspension = { at: expect.any(String), reason: 'unpaid' };
  expect(suspended.body).toEqual({ account, plan: null, quota: null, suspension, keys: 1 });
  expect(await use(token)).toBe(403);
  const newer = await create({ account, plan: 'free' });
  expect(await use(newer.token)).toBe(403);
  const ofAccount = { suspension: null, accountSuspension: { reason: 'unpaid' } };
  expect(await listKeys(`account=${account}&state=suspended`)).toMatchObject([
    { id: newer.key.id, ...ofAccount },
    { id: key.id, ...ofAccount },
  ]);

  // Both the account and the API key itself are suspended. After the key has left the account, it
  // is still suspended until an operator resumes the key.
  const keySuspension = await post(`/keys/${newer.key.id}/suspend?reason=leaked`);
  const both = { suspension: { reason: 'leaked' }, accountSuspension: suspension };
  expect(keySuspension.body).toMatchObject({ state: 'suspended', ...both });
  const still = await post(`/keys/${newer.key.id}/resume`);
  expect(still.body).toMatchObject({ state: 'suspended', suspension: null });
  const moved = { state: 'active', account: null, accountSuspension: null };
  expect((await move(newer.key.id, null)).body).toMatchObject(moved);
  expect(await use(newer.token)).toBe(200);

  await post(`${pathOf(account)}/resume`);
  expect(await use(token)).toBe(200);
  // A change of an account is recorded in the audit log of the account, but not in the audit log of
  // each API key.
  const entries = await admin.read<AuditEntry[]>(`/audit?keyId=${key.id}`);
  expect(entries.map(({ action }) => action)).toEqual(['key.created']);
  const none = { suspension: null };
  expect(await auditOf(account)).toEqual([
    { action: 'account.suspended', before: none, after: { suspension }, reason: 'unpaid' },
    { action: 'account.resumed', before: { suspension }, after: none, reason: null },
  ]);
});

test("the audit log records each change of an account's plan, even if changes are concurrent, and ignores requests that change nothing", async () => {
  const account = newAccount();
  const enterprise = (perMinute: number) => {
    const quota = { perMinute, perDay: 50 };
    return { plan: 'enterprise', quota };
  };
  const business = { plan: 'business', quota: { perMinute: 1_000, perDay: 100_000 } };
  await put(account, { plan: 'business' }, '?reason=Contract%202026-118');
  await put(account, { plan: 'business' });
  await put(account, enterprise(5));
  await put(account, { plan: null });
  await put(account, { plan: null });
  const action = 'account.changed';
  expect(await auditOf(account)).toEqual([
    { action, before: {}, after: business, reason: 'Contract 2026-118' },
    { action, before: business, after: enterprise(5), reason: null },
    { action, before: enterprise(5), after: {}, reason: null },
  ]);
  const [entry] = await admin.read<AuditEntry[]>(`/audit?account=${account}`);
  const id = expect.stringMatching(/^[\da-f-]{36}$/);
  expect(entry?.subject).toEqual({ type: 'account', id, name: account, account });

  await Promise.all(Array.from({ length: 10 }, (_, i) => put(account, enterprise(i + 1))));
  const steps = (await auditOf(account)).slice(3);
  expect(steps).toHaveLength(10);
  const ends = steps.map(({ after }) => after.quota);
  expect(steps.slice(1).map(({ before }) => before.quota)).toEqual(ends.slice(0, -1));
  expect((await show(account)).quota).toEqual(ends.at(-1));
});

test.each<[plan: object, message: string, account?: string]>([
  [{ plan: 'free' }, 'account: expected 1 to 255 characters', 'x'.repeat(256)],
  [{ plan: 'free' }, 'account: expected no token, because everybody', `ast_${'0'.repeat(36)}`],
  [{ plan: 'gold' }, 'plan: expected one of free, pro, business, enterprise, or null for no plan'],
  [{ plan: 'enterprise' }, 'quota: expected a JSON object of perMinute, perDay'],
  [
    { plan: 'pro', quota: { perMinute: 1, perDay: 1 } },
    'quota: expected no value, because only Enterprise',
  ],
])(
  'the admin API refuses the invalid plan %j of an account with the message "%s"',
  async (plan, message, account = newAccount()) => {
    expect((await put(account, plan)).body).toEqual(refusal(expect.stringContaining(message)));
  },
);

test('the admin API responds with 404 for an account that has neither API keys nor a plan', async () => {
  const account = newAccount();
  const message = `There is no account ${account}: it has neither keys nor a plan.`;
  const notFound = { code: 'account_not_found', message, status: 404 };
  expect((await admin.call(pathOf(account))).body).toEqual(notFound);
  for (const action of ['suspend', 'resume', 'credit']) {
    expect((await post(`${pathOf(account)}/${action}`)).body).toEqual(notFound);
  }
  const json = JSON.stringify({ account, name: 'x' });
  const noPlan =
    'plan: expected one of free, pro, business, enterprise, because the key has no account with a plan';
  expect((await admin.call('/keys', { json })).body).toEqual(refusal(noPlan));
});
