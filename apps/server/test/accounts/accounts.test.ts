import { findLink } from '@animal-store/contract';
import type {
  AccountDetails,
  AuditEntry,
  KeyDetails,
  ListedAccount,
  ListedKey,
} from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { accounts, apiKeys } from '../../src/database/schema.ts';
import { useAdmin } from '../support/admin.ts';
import { createClockAtNoon } from '../support/test-clock.ts';
import { banOf, writeBans } from '../support/write-bans.ts';

let lastAccount = 0;
/** An account that no other test has. */
const newAccount = () => {
  lastAccount += 1;
  return `accounts-test-${lastAccount}`;
};

const refusal = (message: unknown) => ({ code: 'invalid_request', message, status: 400 });

describe('accounts', () => {
  const { service, admin } = useAdmin('postgres', {
    clock: createClockAtNoon(),
    env: { USAGE_FLUSH_MS: '20' },
  });

  const pathOf = (account: string) => `/accounts/${encodeURIComponent(account)}`;
  const show = async (account: string) =>
    (await admin.call(pathOf(account))).body as AccountDetails;
  const put = (account: string, plan: object, query = '') =>
    admin.call(pathOf(account) + query, { method: 'PUT', json: JSON.stringify(plan) });
  const post = (path: string) => admin.call(path, { method: 'POST' });
  const create = (key: object) => admin.create(JSON.stringify({ name: 'x', ...key }));
  const move = (id: string, account: string | null) =>
    admin.call(`/keys/${id}`, { method: 'PATCH', json: JSON.stringify({ account }) });
  const use = (token: string) => service.call('/pets?limit=1', { token });
  const useAll = async (token: string, times: number) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) statuses.push((await use(token)).status);
    return statuses;
  };
  /** What a key is told of its minute. */
  const minuteOf = async (token: string) => {
    const { headers } = await use(token);
    return ['Limit', 'Remaining'].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
  };
  /** Changes of the account itself, the oldest first. */
  const auditOf = async (account: string) => {
    const path = `/audit?limit=100&account=${encodeURIComponent(account)}`;
    const entries = ((await admin.call(path)).body as AuditEntry[]).toReversed();
    return entries
      .filter(({ subject }) => subject.type === 'account')
      .map(({ action, before, after, reason }) => ({ action, before, after, reason }));
  };

  test('two keys of an account with a plan share 60 requests, and both say so', async () => {
    const account = newAccount();
    const { status, body } = await put(account, { plan: 'free' });
    const quota = { perMinute: 60, perDay: 1_000 };
    expect([status, body]).toEqual([
      200,
      { account, plan: 'free', quota, suspension: null, keys: 0 },
    ]);
    const [one, other] = [await create({ account }), await create({ account, plan: 'business' })];
    expect(one.key).toMatchObject({ plan: 'free', account });

    expect(await useAll(one.token, 40)).toEqual(Array(40).fill(200));
    expect(await useAll(other.token, 20)).toEqual(Array(20).fill(200));
    const day = { limit: 1_000, remaining: 940 };
    for (const { token } of [one, other]) {
      expect((await use(token)).status).toBe(429);
      expect(await minuteOf(token)).toEqual([60, 0]);
      const told = await service.call('/rate-limit', { token });
      expect(told.body).toMatchObject({
        ...{ plan: 'free', subject: 'account' },
        windows: { minute: { limit: 60, remaining: 0 }, day },
      });
      // Neither the account's name nor its other keys.
      expect(told.text).not.toContain(account);
    }
    // What is in force, and its own plan that rests.
    const inForce = { subject: 'account', plan: 'free', quota };
    const [listed] = (await admin.call(`/keys?account=${account}`)).body as ListedKey[];
    expect(listed).toMatchObject({
      plan: 'business',
      quota: { perMinute: 1_000 },
      inForce,
      state: 'active',
    });
    const details = (await admin.call(`/keys/${other.key.id}`)).body as KeyDetails;
    expect(details).toMatchObject({
      ...{ plan: 'business', quota: { perMinute: 1_000 }, inForce, accountSuspension: null },
      usage: { subject: 'account', plan: 'free', windows: { minute: { limit: 60, remaining: 0 } } },
    });
    // The ledger is written later, and asked anew every two seconds.
    await service.server.pass(5_000);
    expect(await show(account)).toMatchObject({
      ...{ keys: 2, requestsToday: 66 },
      usage: { scope: 'service', windows: { minute: { remaining: 0 }, day } },
      newestKeys: [{ id: other.key.id }, { id: one.key.id }],
      busiestKeys: [
        { keyId: one.key.id, requests: 43 },
        { keyId: other.key.id, requests: 23 },
      ],
    });
  });

  test('an account tells of every banned key, however old, and of keys that their own limits deny', async () => {
    const account = newAccount();
    const quota = { perMinute: 1, perDay: 10 };
    const [oldest, full] = [
      await create({ account, plan: 'free' }),
      await create({ account, plan: 'enterprise', quota }),
    ];
    const { db, close } = await service.database.open();
    await db.insert(apiKeys).values(Array(100).fill({ name: 'x', account, plan: 'free' }));
    const revoked = await create({ account, plan: 'free' });
    const [ban, of] = [banOf(oldest.key.id, 5), banOf(revoked.key.id, 5)];
    await writeBans(db, ban, of);
    await close();
    await post(`/keys/${revoked.key.id}/revoke`);
    expect(await useAll(full.token, 2)).toEqual([200, 429]);
    const found = (await admin.call(`/accounts?search=${account}`)).body as ListedAccount[];
    expect(found.find((listed) => listed.account === account)).toMatchObject({
      keys: 102,
      bannedKeys: 1,
    });
    // Usage, by which the busiest keys are found, is written.
    await service.server.pass(5_000);
    expect(await show(account)).toMatchObject({
      bannedKeys: 1,
      bans: [{ keyId: oldest.key.id, name: 'x', until: ban.until }],
      fullKeys: [
        { keyId: full.key.id, name: 'x', windows: { minute: { limit: 1, remaining: 0 } } },
      ],
    });
    // With a plan of the account, those of its keys rest.
    await put(account, { plan: 'pro' });
    expect((await show(account)).fullKeys).toEqual([]);
  });

  test('keys are found and ranked by the plan that is in force', async () => {
    const account = newAccount();
    const { key, token } = await create({ account, plan: 'business' });
    await put(account, { plan: 'pro' });
    await use(token);
    const found = async (plan: string) =>
      ((await admin.call(`/keys?account=${account}&plan=${plan}`)).body as ListedKey[]).map(
        ({ id }) => id,
      );
    expect([await found('business'), await found('pro')]).toEqual([[], [key.id]]);
    await service.server.pass(5_000);
    expect((await show(account)).busiestKeys).toMatchObject([{ keyId: key.id, plan: 'pro' }]);
    await put(account, { plan: null });
    expect([await found('business'), await found('pro')]).toEqual([[key.id], []]);
  });

  test('names that look the same are one account, but for the case of letters', async () => {
    const account = `${newAccount()} \u00e9`;
    for (const given of [
      `${account}\u00a0`,
      account.replace(' ', '\u00a0'),
      account.normalize('NFD'),
    ]) {
      expect((await create({ account: given, plan: 'free' })).key.account).toBe(account);
      expect((await put(given, { plan: 'free' })).body).toMatchObject({ account, plan: 'free' });
    }
    const { key } = await create({ account: account.toUpperCase(), plan: 'free' });
    const found = (await admin.call(`/accounts?anyCaseOf=${encodeURIComponent(account)}`)).body;
    expect(found).toMatchObject([
      { account: account.toUpperCase(), keys: 1 },
      { account, keys: 3 },
    ]);
    expect((await move(key.id, ` ${account}`)).body).toMatchObject({ account });

    const message =
      'account: expected no invisible characters, such as zero-width spaces or joiners';
    const invisible = `${account}\u200b`;
    const json = JSON.stringify({ account: invisible, plan: 'free', name: 'x' });
    expect((await admin.call('/keys', { json })).body).toEqual(refusal(message));
    expect((await put(invisible, { plan: 'free' })).body).toEqual(refusal(message));
    // One of a version before keeps its name, whatever that is.
    const { db, close } = await service.database.open();
    await db.insert(accounts).values({ name: invisible });
    await close();
    expect((await put(invisible, { plan: 'pro' })).body).toMatchObject({ account: invisible });
    expect((await create({ account: invisible })).key.account).toBe(invisible);
  });

  test('what was used of an account or of a key is given back, which is in the audit log', async () => {
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
    // The ledger keeps what was given back.
    const near = async (path: string) =>
      ((await admin.call(`${path}?nearLimit=true`)).body as { account: string; id?: string }[]).map(
        (found) => found.id ?? found.account,
      );
    await service.server.pass(5_000);
    expect(await near('/accounts')).toEqual([account]);
    expect(await near('/keys')).toContain(own.key.id);
    const [entry] = (await admin.call(`/audit?keyId=${own.key.id}`)).body as AuditEntry[];
    expect(entry).toMatchObject({ action: 'key.changed', ...change });

    // Whose windows they are not.
    const ofAccount = `account: expected a key with windows of its own: those of this one are of the account ${account}`;
    expect((await credit(`/keys/${key.id}`)).body).toEqual(refusal(ofAccount));
    await put(account, { plan: null });
    const ofKeys =
      'plan: expected an account with one: each key of this one has windows of its own';
    expect((await credit(pathOf(account))).body).toEqual(refusal(ofKeys));
    expect((await credit('/accounts/nobody')).status).toBe(404);
    expect((await admin.call('/accounts?nearLimit=true')).body).toEqual([]);
  });

  test('suspending an account refuses all of its keys, also new ones, until it and they are resumed', async () => {
    const account = newAccount();
    const { key, token } = await create({ account, plan: 'free' });
    const suspended = await post(`${pathOf(account)}/suspend?reason=unpaid`);
    const suspension = { at: expect.any(String), reason: 'unpaid' };
    expect(suspended.body).toEqual({ account, plan: null, quota: null, suspension, keys: 1 });
    expect(await use(token)).toMatchObject({ status: 403, body: { code: 'key_suspended' } });
    const newer = await create({ account, plan: 'free' });
    expect((await use(newer.token)).status).toBe(403);
    const find = async (state: string) =>
      ((await admin.call(`/keys?account=${account}&state=${state}`)).body as ListedKey[]).map(
        (it) => [it.id, it.suspension, it.accountSuspension?.reason],
      );
    expect(await find('active')).toEqual([]);
    expect(await find('suspended')).toEqual([
      [newer.key.id, null, 'unpaid'],
      [key.id, null, 'unpaid'],
    ]);
    const list = (await admin.call('/accounts?suspended=true')).body as ListedAccount[];
    expect(list.map((listed) => listed.account)).toContain(account);

    // A key that is suspended besides is resumed by itself, and is free of its account outside of it.
    const besides = await post(`/keys/${newer.key.id}/suspend?reason=leaked`);
    expect(besides.body).toMatchObject({
      ...{ state: 'suspended', suspension: { reason: 'leaked' }, accountSuspension: suspension },
    });
    const still = await post(`/keys/${newer.key.id}/resume`);
    expect(still.body).toMatchObject({ state: 'suspended', suspension: null });
    expect((await use(newer.token)).status).toBe(403);
    const moved = { state: 'active', account: null, accountSuspension: null };
    expect((await move(newer.key.id, null)).body).toMatchObject(moved);
    expect((await use(newer.token)).status).toBe(200);

    await post(`${pathOf(account)}/resume`);
    // What was refused did not count against the key.
    expect(await minuteOf(token)).toEqual([60, 59]);
    // The changes of the account are its own: its keys have none.
    const entries = (await admin.call(`/audit?keyId=${key.id}`)).body as AuditEntry[];
    expect(entries.map(({ action }) => action)).toEqual(['key.created']);
    const none = { suspension: null };
    expect(await auditOf(account)).toEqual([
      { action: 'account.suspended', before: none, after: { suspension }, reason: 'unpaid' },
      { action: 'account.resumed', before: { suspension }, after: none, reason: null },
    ]);
  });

  test('each change of the plan is in the audit log, a repetition is not, and of concurrent ones the last holds', async () => {
    const account = newAccount();
    const enterprise = (perMinute: number) => ({
      ...{ plan: 'enterprise', quota: { perMinute, perDay: 50 } },
    });
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
    const log = (await admin.call(`/audit?account=${account}`)).body as AuditEntry[];
    const [id, ...others] = new Set(log.map(({ subject }) => subject.id));
    expect([log[0]?.subject, others]).toEqual([
      { type: 'account', id, name: account, account },
      [],
    ]);

    await Promise.all(Array.from({ length: 10 }, (_, i) => put(account, enterprise(i + 1))));
    const steps = (await auditOf(account)).slice(3);
    expect(steps).toHaveLength(10);
    const ends = steps.map(({ after }) => after.quota);
    expect(steps.slice(1).map(({ before }) => before.quota)).toEqual(ends.slice(0, -1));
    expect((await show(account)).quota).toEqual(ends.at(-1));
  });

  test('the list has labels and accounts with a plan, by name, in pages', async () => {
    const names = ['zoo a', 'zoo b', 'zoo c', 'zoo d', 'zoo/e%'].map((name) => `~${name}`);
    const [a = '', b = '', c = '', d = '', e = ''] = names;
    const { key } = await create({ account: b, plan: 'free' });
    for (const account of [d, d, e]) await create({ account, plan: 'free' });
    for (const account of [a, c, d]) await put(account, { plan: 'pro' });
    const found: ListedAccount[] = [];
    let path: string | undefined = '/accounts?limit=2';
    while (path !== undefined) {
      const { body, headers } = await admin.call(path);
      found.push(...(body as ListedAccount[]));
      path = findLink(headers.get('Link') ?? '', 'next')?.replace(/^.*\/admin\/v1/, '');
    }
    const mine = found.filter(({ account }) => names.includes(account));
    expect(mine.map(({ account, plan, keys }) => [account, plan, keys])).toEqual([
      [a, 'pro', 0],
      [b, null, 1],
      [c, 'pro', 0],
      [d, 'pro', 2],
      [e, null, 1],
    ]);
    expect(new Set(found.map(({ account }) => account)).size).toBe(found.length);
    // An account is there while a key has it or something is decided about it.
    await move(key.id, null);
    await put(a, { plan: null });
    for (const [text, more, expected] of [
      ['~ZOO', '', [c, d, e]],
      ['~Z', '', [c, d, e]],
      ['/e%', '', [e]],
      ['zoo_', '', []],
      ['~zoo', '&plan=pro', [c, d]],
    ] as const) {
      const query = `?limit=100&search=${encodeURIComponent(text)}${more}`;
      const listed = (await admin.call(`/accounts${query}`)).body as ListedAccount[];
      expect(
        listed.map(({ account }) => account),
        query,
      ).toEqual(expected);
    }
  });

  test('accounts are in the order of their numbers, or of their requests or denials of today', async () => {
    const names = ['9', '10', '2', '02', ''].map((end) => `natural ${end}`.trim());
    const [nine = '', ten = '', two = ''] = names;
    await Promise.all(names.map((account) => put(account, { plan: 'free' })));
    const quota = { perMinute: 1, perDay: 9 };
    const [busy, denied] = [await create({ account: two }), await create({ account: ten })];
    await put(ten, { plan: 'enterprise', quota });
    expect(await useAll(busy.token, 3)).toEqual([200, 200, 200]);
    expect(await useAll(denied.token, 2)).toEqual([200, 429]);
    const list = async (sort: string) => {
      const found: ListedAccount[] = [];
      let path: string | undefined = `/accounts?search=natural&limit=2&${sort}`;
      while (path !== undefined) {
        const { body, headers } = await admin.call(path);
        found.push(...(body as ListedAccount[]));
        path = findLink(headers.get('Link') ?? '', 'next')?.replace('/admin/v1', '');
      }
      return found.map(({ account }) => account);
    };
    const natural = ['natural', two, nine, 'natural 02', ten];
    const others = ['natural', nine, 'natural 02'];
    await service.server.pass(5_000);
    expect(await list('sort=-denials')).toEqual([ten, 'natural', two, nine, 'natural 02']);
    expect(await list('sort=-requests')).toEqual([two, ten, ...others]);
    expect(await list('')).toEqual(natural);
    expect(await list('sort=-name')).toEqual(natural.toReversed());
    const { body } = await admin.call(`/accounts?search=${encodeURIComponent(ten)}`);
    expect(body).toMatchObject([{ account: ten, requestsToday: 2, deniedToday: 1 }]);
    const counted = await admin.call('/accounts?search=natural&limit=1&count=true');
    expect(counted.headers.get('X-Total-Count')).toBe('5');
    const forged = await admin.call('/accounts?sort=-requests&cursor=x');
    expect(forged.body).toEqual(refusal('cursor: expected one that a Link header gave'));
  });

  const plans = 'plan: expected one of free, pro, business, enterprise, or null for none';

  test.each<[plan: object, message: string, account?: string]>([
    [{ plan: 'free' }, 'account: expected 1 to 255 characters', 'x'.repeat(256)],
    [{ plan: 'free' }, 'account: expected no token: everybody', `ast_${'0'.repeat(36)}`],
    [{ plan: 'free' }, 'account: ', 'a\u0007'],
    [{ plan: 'gold' }, plans],
    [{ plan: 'enterprise' }, 'quota: expected a JSON object of perMinute, perDay'],
    [{ plan: 'pro', quota: { perMinute: 1, perDay: 1 } }, 'quota: expected none: only Enterprise'],
  ])('the plan %j is refused: %s', async (plan, message, account = newAccount()) => {
    expect((await put(account, plan)).body).toEqual(refusal(expect.stringContaining(message)));
    if (account.startsWith('accounts-test')) {
      expect((await admin.call(pathOf(account))).status).toBe(404);
    }
  });

  test('an account that no key has and nobody decided about is not found, and is no plan for a key', async () => {
    const account = newAccount();
    const message = `There is no account ${account}: no key has it, and it has no plan.`;
    const notFound = { code: 'account_not_found', message, status: 404 };
    expect((await admin.call(pathOf(account))).body).toEqual(notFound);
    for (const action of ['suspend', 'resume']) {
      expect((await post(`${pathOf(account)}/${action}`)).body).toEqual(notFound);
    }
    expect((await put(account, { plan: null })).body).toMatchObject({ keys: 0 });
    expect((await admin.call(pathOf(account))).status).toBe(404);
    const json = JSON.stringify({ account, name: 'x' });
    expect((await admin.call('/keys', { json })).body).toEqual(
      refusal(
        'plan: expected one of free, pro, business, enterprise: the account of the key has no plan that could stand in for it',
      ),
    );
  });
});
