import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type {
  AccountDetails,
  Deprecation,
  KeyDetails,
  LedgerOfKey,
  Overview,
} from '@animal-store/contract/admin';
import { adminBasePath } from '@animal-store/contract/admin';
import { expect, test } from 'vitest';
import { adminToken, useAdmin } from '../support/admin.ts';
import { untilPassing } from '../support/local-server.ts';

const { service, admin } = useAdmin('postgres', { env: { USAGE_FLUSH_MS: '20' } });

const minuteMs = 60_000;

const sumOf = (rows: readonly { requests: number }[]) =>
  rows.reduce((sum, { requests }) => sum + requests, 0);

/** A key that has made three requests, which the ledger knows. */
async function usedKey() {
  const { key, token } = await admin.create('{"name":"with a history","plan":"pro"}');
  for (let n = 0; n < 3; n++) await service.call('/pets', { token });
  await untilPassing([service.server], async () => {
    const { body } = await admin.call(`/keys/${key.id}/usage`);
    return sumOf((body as LedgerOfKey).rows) === 3;
  });
  return key;
}

test('one request gives the overview, the requests of a span of time and its busiest keys', async () => {
  const key = await usedKey();
  const query = 'include=history&bucket=minute';
  const { status, body } = await admin.call(`/overview?${query}`);
  expect(status).toBe(200);
  const { history, traffic, readiness } = body as Overview;
  expect(readiness.status).toBe('ready');
  expect(traffic.seconds).toBeGreaterThanOrEqual(0);
  expect(Date.parse(history?.to ?? '') - Date.parse(history?.from ?? '')).toBe(60 * minuteMs);
  expect(history?.bucket).toBe('minute');
  expect(sumOf(history?.rows ?? [])).toBeGreaterThanOrEqual(3);
  expect(history?.busiest).toContainEqual({
    keyId: key.id,
    name: 'with a history',
    account: null,
    plan: 'pro',
    requests: 3,
  });
});

test('a span of more than 31 days has the busiest keys of its last days', async () => {
  const { id } = await usedKey();
  const from = new Date(Date.now() - 200 * 86_400_000).toISOString();
  const { body } = await admin.call(`/overview?include=history&bucket=day&from=${from}`);
  expect((body as Overview).history?.busiest.map(({ keyId }) => keyId)).toContain(id);
});

test('one request gives a key, what it was used for, and what was done with it', async () => {
  const { id } = await usedKey();
  const { status, body } = await admin.call(`/keys/${id}?include=history&bucket=minute`);
  expect(status).toBe(200);
  expect((await admin.call(`/keys/${id}`)).body).not.toHaveProperty('history');
  const { usage, history } = body as KeyDetails;
  expect(usage.windows.minute.remaining).toBe(usage.windows.minute.limit - 3);
  const ledger = (await admin.call(`/keys/${id}/usage?bucket=minute`)).body as LedgerOfKey;
  expect(history?.rows).toEqual(ledger.rows);
  expect(sumOf(history?.rows ?? [])).toBe(3);
  expect(history?.audit.map(({ action }) => action)).toEqual(['key.created']);
});

test('one request gives an account, and what its keys were used for together', async () => {
  const account = 'with a history';
  for (const name of ['one', 'other']) {
    const { token } = await admin.create(JSON.stringify({ name, account, plan: 'pro' }));
    await service.call('/pets', { token });
  }
  const path = `/accounts/${encodeURIComponent(account)}`;
  const read = async () =>
    (await admin.call(`${path}?include=history&bucket=minute`)).body as AccountDetails;
  await untilPassing([service.server], async () => sumOf((await read()).history?.rows ?? []) === 2);
  const { history, keys } = await read();
  expect(keys).toBe(2);
  expect(history?.rows.map(({ operation, outcome }) => [operation, outcome])).toContainEqual([
    'listPets',
    'ok',
  ]);
  expect((await admin.call(path)).body).not.toHaveProperty('history');
  expect((await admin.call(`${path}?include=history&bucket=week`)).status).toBe(400);
});

test('one request gives the calls of deprecated operations, and who made them, page by page', async () => {
  const ids: string[] = [];
  for (const name of ['first caller', 'second caller']) {
    const { key, token } = await admin.create(JSON.stringify({ name, plan: 'pro' }));
    await service.call('/pets/1', { token });
    await service.call('/pets', { token });
    ids.push(key.id);
  }
  const { key: other } = await admin.create('{"name":"no caller","plan":"pro"}');
  const read = async (query: string) => {
    const { status, body, headers } = await admin.call(`/deprecation?bucket=minute&${query}`);
    expect(status).toBe(200);
    return { ...(body as Deprecation), link: headers.get('Link') };
  };
  const idsOf = ({ callers }: Deprecation) => callers.map(({ id }) => id);
  const callsOf = ({ callers }: Deprecation, id: string) =>
    callers.find((caller) => caller.id === id)?.recent?.deprecatedCalls;
  await untilPassing([service.server], async () => {
    const found = await read('limit=100');
    return ids.every((id) => callsOf(found, id) === 1);
  });
  const all = await read('limit=100');
  expect(new Set(all.rows.map(({ operation }) => operation))).toEqual(new Set(['getPet']));
  expect(sumOf(all.rows)).toBeGreaterThanOrEqual(2);
  expect(idsOf(all)).not.toContain(other.id);
  const first = await read('limit=1');
  const [, cursor] = /cursor=([^&>]+)>; rel="next"/.exec(first.link ?? '') ?? [];
  const second = await read(`limit=1&cursor=${cursor}`);
  expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(all).slice(0, 2));
});

/** Asks like a browser: `send` decodes the body as text. */
async function askCompressed(path: string, encodings: string, json?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: Headers; bytes: Buffer }>();
  const url = service.server.opsUrl + adminBasePath + path;
  const headers = {
    Authorization: `Bearer ${adminToken}`,
    'Accept-Encoding': encodings,
    'Content-Type': 'application/json',
  };
  const method = json === undefined ? 'GET' : 'POST';
  request(url, { method, headers }, async (incoming) => {
    const bytes = Buffer.concat(await incoming.toArray());
    resolve({ headers: new Headers(incoming.headers as Record<string, string>), bytes });
  })
    .on('error', reject)
    .end(json);
  return promise;
}

test('a long answer is compressed for those who accept that', async () => {
  const plain = await askCompressed('/openapi.json', 'identity');
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
  const compressed = await askCompressed('/openapi.json', 'gzip');
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  expect(compressed.headers.get('Vary')).toBe('Accept-Encoding');
  expect(compressed.bytes.length * 4).toBeLessThan(plain.bytes.length);
  expect(gunzipSync(compressed.bytes)).toEqual(plain.bytes);
});

test('an answer that fits into a packet is sent as it is', async () => {
  const { headers, bytes } = await askCompressed('/overview', 'gzip');
  expect(headers.get('Content-Encoding')).toBeNull();
  expect(JSON.parse(bytes.toString())).toHaveProperty('traffic');
});

test('a new token is not compressed together with a name, from whose size it could be guessed', async () => {
  const name = '🐈'.repeat(255);
  const json = JSON.stringify({ name, account: name, plan: 'free' });
  const { headers, bytes } = await askCompressed('/keys', 'gzip', json);
  expect(headers.get('Content-Encoding')).toBeNull();
  expect(JSON.parse(bytes.toString())).toHaveProperty('token');
});
