import type {
  AccountDetails,
  Deprecation,
  KeyDetails,
  LedgerOfKey,
  Overview,
} from '@animal-store/admin-contract';
import { adminBasePath } from '@animal-store/admin-contract';
import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { untilPassing } from '../support/local-server.ts';
import { sumOf } from '../support/write-usage.ts';

const { service, admin } = useAdmin('postgres', { usage: { flushMs: 20 } });

test('the admin API returns the usage history in the same response as the overview, an API key or an account', async () => {
  const { key, token } = await admin.create('{"name":"x","plan":"pro","account":"A"}');
  for (let n = 0; n < 3; n++) await service.call('/pets', { token });
  await untilPassing([service.server], async () => {
    const { rows } = await admin.read<LedgerOfKey>(`/keys/${key.id}/usage`);
    return sumOf(rows) === 3;
  });
  const { history, traffic, readiness } = await admin.read<Overview>(
    '/overview?include=history&bucket=minute',
  );
  expect([readiness.status, traffic.seconds]).toEqual(['ready', expect.any(Number)]);
  expect(Date.parse(history?.to ?? '') - Date.parse(history?.from ?? '')).toBe(60 * 60_000);
  expect(history?.bucket).toBe('minute');
  // The count includes the requests that other tests in this file have sent.
  expect(sumOf(history?.rows)).toBeGreaterThanOrEqual(3);
  const own = { name: 'x', account: 'A', plan: 'pro', requests: 3 };
  expect(history?.busiest).toContainEqual({ keyId: key.id, ...own });

  // If the period is longer than 31 days, the list of the busiest API keys covers only the last 31
  // days.
  const from = new Date(Date.now() - 200 * 86_400_000).toISOString();
  const long = await admin.read<Overview>(`/overview?include=history&bucket=day&from=${from}`);
  expect(long.history?.busiest.map(({ keyId }) => keyId)).toContain(key.id);

  const details = await admin.read<KeyDetails>(`/keys/${key.id}?include=history&bucket=minute`);
  const { remaining, limit } = details.usage.windows.minute;
  expect(remaining).toBe(limit - 3);
  const ledger = await admin.read<LedgerOfKey>(`/keys/${key.id}/usage?bucket=minute`);
  expect(details.history?.rows).toEqual(ledger.rows);
  expect(sumOf(ledger.rows)).toBe(3);
  expect(details.history?.audit.map(({ action }) => action)).toEqual(['key.created']);
  const account = await admin.read<AccountDetails>('/accounts/A?include=history&bucket=minute');
  expect(account.history?.rows).toEqual(ledger.rows);
  for (const path of [`/keys/${key.id}`, '/accounts/A']) {
    expect(await admin.read(path)).not.toHaveProperty('history');
  }
});

test('the admin API returns the usage of deprecated operations in the same response as a page of the API keys that called them', async () => {
  const ids: string[] = [];
  for (const name of ['first caller', 'second caller']) {
    const { key, token } = await admin.create(JSON.stringify({ name, plan: 'pro' }));
    await service.call('/pets/1', { token });
    await service.call('/pets', { token });
    ids.push(key.id);
  }
  await admin.create('{"name":"no caller","plan":"pro"}');
  const page = async (query: string) => {
    const { body, headers } = await admin.call(`/deprecation?bucket=minute&${query}`);
    const { callers, rows } = body as Deprecation;
    const calls = callers.map(({ id, recent }) => [id, recent?.deprecatedCalls]);
    return { calls, rows, link: headers.get('Link') ?? '' };
  };
  const all = await untilPassing([service.server], async () => {
    const found = await page('limit=100');
    return sumOf(found.rows) === 2 && found;
  });
  expect(all.calls.toSorted()).toEqual(ids.map((id) => [id, 1]).toSorted());
  expect(new Set(all.rows.map(({ operation }) => operation))).toEqual(new Set(['getPet']));
  const first = await page('limit=1');
  const [, cursor] = /cursor=([^&>]+)>; rel="next"/.exec(first.link) ?? [];
  const second = await page(`limit=1&cursor=${cursor}`);
  expect([...first.calls, ...second.calls]).toEqual(all.calls);
});

const acceptsGzip = { 'Accept-Encoding': 'gzip' };

test('the admin API compresses a long response if the client accepts gzip', async () => {
  const plain = await admin.call('/openapi.json');
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  // `fetch` has already decompressed the response, so the test can compare its text with the text
  // of the uncompressed response.
  const headers = { Authorization: `Bearer ${adminToken}`, ...acceptsGzip };
  const url = `${service.server.opsUrl}${adminBasePath}/openapi.json`;
  const compressed = await fetch(url, { headers });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  for (const { headers } of [plain, compressed])
    expect(headers.get('Vary')).toBe('Accept-Encoding');
  expect(await compressed.text()).toBe(plain.text);
});

// A response with a new token is never compressed. If it also contained a name that an attacker has
// chosen, the attacker could guess the token from the compressed size.
test('the admin API does not compress short responses, nor responses that contain a new token', async () => {
  const name = '🐈'.repeat(255);
  const json = JSON.stringify({ name, account: name, plan: 'free' });
  for (const [path, options, member] of [
    ['/overview', {}, 'traffic'],
    ['/keys', { json }, 'token'],
  ] as const) {
    const { headers, body } = await admin.call(path, { headers: acceptsGzip, ...options });
    expect(headers.get('Content-Encoding')).toBeNull();
    expect(body).toHaveProperty(member);
  }
});
