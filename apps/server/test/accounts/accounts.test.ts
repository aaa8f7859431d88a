import { findLink } from '@animal-store/contract';
import type {
  Account,
  AccountDetails,
  AuditEntry,
  IssuedKey,
  KeyDetails,
  ListedAccount,
  ListedKey,
} from '@animal-store/contract/admin';
import { describe, expect, test } from 'vitest';
import { accounts } from '../../src/database/schema.ts';
import { useAdmin } from '../support/admin.ts';

let lastAccount = 0;
/** An account that no other test has, also of other files. */
const newAccount = () => {
  lastAccount += 1;
  return `accounts-test-${lastAccount}`;
};

const error = (status: number, code: string, message: string) => ({ code, message, status });

describe('accounts', () => {
  const { service, admin } = useAdmin();

  const pathOf = (account: string) => `/accounts/${encodeURIComponent(account)}`;
  const show = async (account: string) =>
    (await admin.call(pathOf(account))).body as AccountDetails;
  const put = (account: string, plan: object, query = '') =>
    admin.call(pathOf(account) + query, { method: 'PUT', json: JSON.stringify(plan) });
  const create = (key: object) => admin.create(JSON.stringify(key));
  const use = (token: string) => service.call('/pets?limit=1', { token });
  const useAll = async (token: string, times: number) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1) statuses.push((await use(token)).status);
    return statuses;
  };
  const auditOf = async (account: string) => {
    const path = `/audit?limit=100&account=${encodeURIComponent(account)}`;
    const entries = (await admin.call(path)).body as AuditEntry[];
    return entries.reverse().filter(({ subject }) => subject.type === 'account');
  };

  test('two keys of an account with a plan share 60 requests, and both say so', async () => {
    const account = newAccount();
    const { status, body } = await put(account, { plan: 'free' });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        account,
        plan: 'free',
        quota: { perMinute: 60, perDay: 1_000 },
        suspension: null,
        keys: 0,
      },
    });
    const [one, other] = [await create({ account }), await create({ account, plan: 'business' })];
    expect(one.key).toMatchObject({ plan: 'free', account });

    expect(await useAll(one.token, 40)).toEqual(Array(40).fill(200));
    expect(await useAll(other.token, 20)).toEqual(Array(20).fill(200));
    for (const { token } of [one, other]) {
      const denied = await use(token);
      expect(denied.status).toBe(429);
      expect(denied.headers.get('X-RateLimit-Limit')).toBe('60');
      expect(denied.headers.get('X-RateLimit-Remaining')).toBe('0');
      const told = await service.call('/rate-limit', { token });
      expect(told.body).toMatchObject({
        plan: 'free',
        subject: 'account',
        windows: { minute: { limit: 60, remaining: 0 }, day: { limit: 1_000, remaining: 940 } },
      });
      // Neither the account's name nor its other keys.
      expect(told.text).not.toContain(account);
    }

    const details = (await admin.call(`/keys/${other.key.id}`)).body as KeyDetails;
    expect(details).toMatchObject({
      plan: 'business',
      quota: { perMinute: 1_000 },
      usage: { subject: 'account', plan: 'free', windows: { minute: { limit: 60, remaining: 0 } } },
      accountSuspension: null,
    });
    expect(await show(account)).toMatchObject({
      keys: 2,
      usage: { scope: 'service', windows: { minute: { remaining: 0 }, day: { remaining: 940 } } },
      newestKeys: [{ id: other.key.id }, { id: one.key.id }],
    });
    // The ledger is written later, and asked anew every two seconds.
    await expect
      .poll(() => show(account))
      .toMatchObject({
        requestsToday: 64,
        busiestKeys: [
          { keyId: one.key.id, requests: 42 },
          { keyId: other.key.id, requests: 22 },
        ],
      });
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
    const change = { method: 'PATCH', json: JSON.stringify({ account: ` ${account}` }) };
    const found = (await admin.call(`/accounts?anyCaseOf=${encodeURIComponent(account)}`)).body;
    expect(found).toMatchObject([
      { account: account.toUpperCase(), keys: 1 },
      { account, keys: 3 },
    ]);
    expect((await admin.call(`/keys/${key.id}`, change)).body).toMatchObject({ account });

    const refused = error(
      400,
      'invalid_request',
      'account: expected no invisible characters, such as zero-width spaces or joiners',
    );
    const json = JSON.stringify({ account: `${account}\u200b`, plan: 'free' });
    expect((await admin.call('/keys', { json })).body).toEqual(refused);
    expect((await put(`${account}\u200b`, { plan: 'free' })).body).toEqual(refused);
  });

  test('an account of a version before keeps its name, whatever that is', async () => {
    const account = `${newAccount()}\u200b `;
    const { db, close } = await service.database.open();
    await db.insert(accounts).values({ name: account });
    await close();
    expect((await put(account, { plan: 'pro' })).body).toMatchObject({ account, plan: 'pro' });
    const { key } = await create({ account });
    expect(key.account).toBe(account);
    expect(await show(account)).toMatchObject({ account, keys: 1, newestKeys: [{ id: key.id }] });
  });

  test("a key's own plan rests while its account has one, and holds again afterwards", async () => {
    const account = newAccount();
    const { token } = await create({ account, plan: 'pro' });
    const limitOf = async () => (await use(token)).headers.get('X-RateLimit-Limit');
    expect(await limitOf()).toBe('300');
    await put(account, { plan: 'enterprise', quota: { perMinute: 5_000, perDay: 1_000_000 } });
    expect(await limitOf()).toBe('5000');
    await put(account, { plan: null });
    const own = await service.call('/rate-limit', { token });
    expect(own.body).toMatchObject({
      plan: 'pro',
      subject: 'key',
      windows: { minute: { limit: 300, remaining: 299 } },
    });
    // What was used under the account stays used.
    await put(account, { plan: 'free' });
    expect((await use(token)).headers.get('X-RateLimit-Remaining')).toBe('58');
  });

  test('a key gets no fresh quota by leaving its account and coming back', async () => {
    const account = newAccount();
    await put(account, { plan: 'enterprise', quota: { perMinute: 3, perDay: 100 } });
    const { key, token } = await create({ account });
    const move = (to: string | null) =>
      admin.call(`/keys/${key.id}`, { method: 'PATCH', json: JSON.stringify({ account: to }) });
    expect(await useAll(token, 4)).toEqual([200, 200, 200, 429]);
    await move(null);
    expect((await use(token)).headers.get('X-RateLimit-Limit')).toBe('60');
    await move(account);
    expect((await use(token)).status).toBe(429);
  });

  test('a change of the plan keeps what was used', async () => {
    const account = newAccount();
    await put(account, { plan: 'free' });
    const { token } = await create({ account });
    await useAll(token, 5);
    await put(account, { plan: 'pro' });
    expect((await use(token)).headers.get('X-RateLimit-Remaining')).toBe('294');
  });

  test('suspending an account refuses all of its keys, also new ones, and resuming admits them', async () => {
    const account = newAccount();
    const { key, token } = await create({ account, plan: 'free' });
    expect((await use(token)).status).toBe(200);
    const suspended = await admin.call(`${pathOf(account)}/suspend?reason=unpaid`, {
      method: 'POST',
    });
    expect(suspended).toMatchObject({
      status: 200,
      body: { account, plan: null, suspension: { reason: 'unpaid' }, keys: 1 },
    });
    const refused = await use(token);
    expect(refused).toMatchObject({ status: 403, body: { code: 'key_suspended', status: 403 } });
    const newer = await create({ account, plan: 'free' });
    expect((await use(newer.token)).status).toBe(403);
    const details = (await admin.call(`/keys/${newer.key.id}`)).body as KeyDetails;
    expect(details).toMatchObject({
      state: 'suspended',
      suspension: null,
      accountSuspension: { reason: 'unpaid' },
    });
    const find = async (state: string) =>
      ((await admin.call(`/keys?account=${account}&state=${state}`)).body as ListedKey[]).map(
        ({ id, suspension, accountSuspension }) => [id, suspension, accountSuspension?.reason],
      );
    expect(await find('suspended')).toEqual([
      [newer.key.id, null, 'unpaid'],
      [key.id, null, 'unpaid'],
    ]);
    expect(await find('active')).toEqual([]);
    const list = (await admin.call('/accounts?suspended=true')).body as ListedAccount[];
    expect(list.map((listed) => listed.account)).toContain(account);

    await admin.call(`${pathOf(account)}/resume`, { method: 'POST' });
    expect((await use(token)).status).toBe(200);
    // What was refused did not count against the key.
    expect((await use(token)).headers.get('X-RateLimit-Remaining')).toBe('57');
    expect(await find('suspended')).toEqual([]);
    // The changes of the account are its own: its keys have none.
    const entries = (await admin.call(`/audit?keyId=${key.id}`)).body as AuditEntry[];
    expect(entries.map(({ action }) => action)).toEqual(['key.created']);
    expect(
      (await auditOf(account)).map(({ action, before, after, reason }) => ({
        action,
        before,
        after,
        reason,
      })),
    ).toEqual([
      {
        action: 'account.suspended',
        before: { suspension: null },
        after: { suspension: { at: expect.any(String), reason: 'unpaid' } },
        reason: 'unpaid',
      },
      {
        action: 'account.resumed',
        before: { suspension: { at: expect.any(String), reason: 'unpaid' } },
        after: { suspension: null },
        reason: null,
      },
    ]);
  });

  test('a key that is suspended besides its account is admitted when both are resumed', async () => {
    const account = newAccount();
    const { key, token } = await create({ account, plan: 'free' });
    const post = (path: string) => admin.call(path, { method: 'POST' });
    await post(`${pathOf(account)}/suspend?reason=unpaid`);
    expect(await post(`/keys/${key.id}/suspend?reason=leaked`)).toMatchObject({
      status: 200,
      body: {
        state: 'suspended',
        suspension: { reason: 'leaked' },
        accountSuspension: { reason: 'unpaid' },
      },
    });
    expect(await post(`/keys/${key.id}/resume`)).toMatchObject({
      status: 200,
      body: { state: 'suspended', suspension: null, accountSuspension: { reason: 'unpaid' } },
    });
    expect((await use(token)).status).toBe(403);
    // Moved out, it is not suspended any more.
    const moved = await admin.call(`/keys/${key.id}`, {
      method: 'PATCH',
      json: '{"account":null}',
    });
    expect(moved).toMatchObject({
      status: 200,
      body: { state: 'active', suspension: null, accountSuspension: null },
    });
    expect((await use(token)).status).toBe(200);
    const entries = (await admin.call(`/audit?keyId=${key.id}`)).body as AuditEntry[];
    expect(entries[0]).toMatchObject({ before: { account }, after: { account: null } });
    expect(Object.keys(entries[0]?.after ?? {})).toEqual(['account']);
  });

  test('each change of the plan is in the audit log, and a repetition is not', async () => {
    const account = newAccount();
    await put(account, { plan: 'business' }, '?reason=Contract%202026-118');
    await put(account, { plan: 'business' });
    await put(account, { plan: 'enterprise', quota: { perMinute: 5, perDay: 50 } });
    await put(account, { plan: null });
    await put(account, { plan: null });
    const entries = await auditOf(account);
    expect(entries.map(({ before, after, reason }) => ({ before, after, reason }))).toEqual([
      {
        before: {},
        after: { plan: 'business', quota: { perMinute: 1_000, perDay: 100_000 } },
        reason: 'Contract 2026-118',
      },
      {
        before: { plan: 'business', quota: { perMinute: 1_000, perDay: 100_000 } },
        after: { plan: 'enterprise', quota: { perMinute: 5, perDay: 50 } },
        reason: null,
      },
      {
        before: { plan: 'enterprise', quota: { perMinute: 5, perDay: 50 } },
        after: {},
        reason: null,
      },
    ]);
    const subjects = new Set(entries.map(({ subject }) => JSON.stringify(subject)));
    expect(subjects.size).toBe(1);
    expect(entries[0]?.subject).toEqual({
      type: 'account',
      id: expect.any(String),
      name: account,
      account,
    });
  });

  test('of concurrent changes the last one holds, and the log has them in order', async () => {
    const account = newAccount();
    const numbers = Array.from({ length: 10 }, (_, i) => ({ perMinute: i + 1, perDay: 100 }));
    const answers = await Promise.all(
      numbers.map((quota) => put(account, { plan: 'enterprise', quota })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const entries = await auditOf(account);
    expect(entries).toHaveLength(10);
    for (const [i, { before }] of entries.slice(1).entries()) {
      expect(before.quota).toEqual(entries[i]?.after.quota);
    }
    expect((await show(account)).quota).toEqual(entries.at(-1)?.after.quota);
  });

  test('the list has labels and accounts with a plan, by name, in pages', async () => {
    const names = ['zoo a', 'zoo b', 'zoo c', 'zoo d', 'zoo/e%'].map((name) => `~${name}`);
    const [a = '', b = '', c = '', d = '', e = ''] = names;
    for (const account of [b, d, d, e]) await create({ account, plan: 'free' });
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
    const search = async (text: string, more = '') => {
      const path = `/accounts?limit=100&search=${encodeURIComponent(text)}${more}`;
      return ((await admin.call(path)).body as ListedAccount[]).map(({ account }) => account);
    };
    expect(await search('~zoo')).toEqual(names);
    const [key] = (await admin.call(`/keys?account=${encodeURIComponent(b)}`)).body as ListedKey[];
    await admin.call(`/keys/${key?.id}`, { method: 'PATCH', json: '{"account":null}' });
    await put(a, { plan: null });
    // Texts of less than three characters have no index.
    for (const text of ['~ZOO', '~Z']) expect(await search(text), text).toEqual([c, d, e]);
    expect(await search('/e%')).toEqual([e]);
    expect(await search('zoo_')).toEqual([]);
    expect(await search('~zoo', '&plan=pro')).toEqual([c, d]);
    const ofPlan = (await admin.call('/accounts?limit=100&plan=pro')).body as Account[];
    expect(ofPlan.map(({ account }) => account).filter((name) => names.includes(name))).toEqual([
      c,
      d,
    ]);
  });

  test.each([
    'a/b',
    '100 %',
    '%2F',
    'Ünïcode 🐈 {x}',
    '}',
    "Robert'); --",
    'x'.repeat(255),
    '🐈'.repeat(255),
  ])('an account may be named %j', async (name) => {
    expect(await put(name, { plan: 'free' })).toMatchObject({
      status: 200,
      body: { account: name, plan: 'free' },
    });
    const { token } = await create({ account: name });
    expect((await use(token)).status).toBe(200);
    expect(await show(name)).toMatchObject({
      account: name,
      keys: 1,
      usage: { windows: { minute: { remaining: 59 } } },
    });
    expect((await put(name, { plan: null })).status).toBe(200);
  });

  test.each([
    ['x'.repeat(256), 'account: expected 1 to 255 characters'],
    [`ast_${'0'.repeat(36)}`, 'account: expected no token: everybody who sees this could use it'],
    ['a\u0007', 'account: '],
  ])('an account cannot be named %j', async (name, message) => {
    const { status, body } = await put(name, { plan: 'free' });
    expect(status).toBe(400);
    expect(body).toEqual(error(400, 'invalid_request', expect.stringContaining(message)));
  });

  test.each([
    [{}, 'plan: expected one of free, pro, business, enterprise, or null for none'],
    [{ plan: 'gold' }, 'plan: expected one of free, pro, business, enterprise, or null for none'],
    [{ plan: 'enterprise' }, 'quota: expected a JSON object of perMinute, perDay'],
    [{ plan: 'pro', quota: { perMinute: 1, perDay: 1 } }, 'quota: expected none: only Enterprise'],
    [
      { plan: 'enterprise', quota: { perMinute: 0, perDay: 2 ** 31 } },
      'quota.perMinute: expected an integer from 1 to',
    ],
    [{ plan: null, paln: 'pro' }, 'expected no member but plan, quota'],
    [[], 'expected a JSON object'],
  ])('the plan %j is refused', async (plan, message) => {
    const account = newAccount();
    const { status, body } = await put(account, plan);
    expect(status).toBe(400);
    expect(body).toEqual(error(400, 'invalid_request', expect.stringContaining(message)));
    expect((await admin.call(pathOf(account))).status).toBe(404);
  });

  test('an account that no key has and nobody decided about is not found', async () => {
    const account = newAccount();
    const message = `There is no account ${account}: no key has it, and it has no plan.`;
    for (const [path, method] of [
      [pathOf(account), 'GET'],
      [`${pathOf(account)}/suspend`, 'POST'],
      [`${pathOf(account)}/resume`, 'POST'],
    ] as const) {
      const { status, body } = await admin.call(path, { method });
      expect({ status, body }).toEqual({
        status: 404,
        body: error(404, 'account_not_found', message),
      });
    }
    expect(await put(account, { plan: null })).toMatchObject({ status: 200, body: { keys: 0 } });
    expect((await admin.call(pathOf(account))).status).toBe(404);
  });

  test('a key without a plan needs an account that has one', async () => {
    const account = newAccount();
    const refused = await admin.call('/keys', { json: JSON.stringify({ account }) });
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 400,
      body: error(
        400,
        'invalid_request',
        'plan: expected one of free, pro, business, enterprise: the account of the key has no plan that could stand in for it',
      ),
    });
    await put(account, { plan: 'pro' });
    const made = await admin.call('/keys', { json: JSON.stringify({ account }) });
    expect(made.status).toBe(201);
    expect((made.body as IssuedKey).key.plan).toBe('free');
  });
});
