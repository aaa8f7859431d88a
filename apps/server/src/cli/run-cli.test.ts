import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Key } from '@animal-store/contract/admin';
import { temporaryDirectory } from '@animal-store/testkit';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { runCli } from './run-cli.ts';

/** Something that answers every request with the same. */
let server: Server;
let url = '';
let answer: { status: number; type: string; body: string };
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  vi.stubEnv('DATA_DIR', directory.path);
  vi.stubEnv('ADMIN_TOKEN', 'an-admin-token-for-tests');
  server = createServer((_req, res) => {
    res.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
  await directory[Symbol.asyncDispose]();
});

const said = { out: '', err: '' };

beforeEach(() => {
  Object.assign(said, { out: '', err: '' });
});

const run = (...args: string[]) =>
  runCli(['keys', ...args, '--url', url], {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });

// As in a list, which also says whether a key is banned.
const key: Key & { readonly bannedUntil: null } = {
  id: '00000000-0000-4000-8000-000000000000',
  name: null,
  account: null,
  plan: 'free',
  quota: { perMinute: 60, perDay: 1_000 },
  state: 'active',
  createdAt: '2026-11-21T09:00:00.000Z',
  expiresAt: null,
  revokedAt: null,
  suspension: null,
  accountSuspension: null,
  scopes: ['pets:read', 'pets:write'],
  bannedUntil: null,
  lastUsedAt: null,
  tokens: [],
};

test.each([
  { what: 'a page', type: 'text/html', body: '<h1>Welcome</h1>' },
  { what: 'nothing', type: 'text/plain', body: '' },
  { what: 'a file', type: 'application/octet-stream', body: 'x' },
  { what: 'broken JSON', type: 'application/json', body: '[{"id":' },
  { what: 'other JSON', type: 'application/json', body: '{"status":"ok"}' },
  { what: 'a list of others', type: 'application/json', body: '[{"id":1,"name":"Mia"}]' },
  {
    what: 'a key that lacks a member',
    type: 'application/json',
    body: JSON.stringify([{ ...key, tokens: undefined }]),
  },
])('a 200 with $what is told of in one line, and fails', async ({ type, body }) => {
  answer = { status: 200, type, body };
  expect(await run('list')).toBe(1);
  expect(said).toEqual({
    out: '',
    err: `error: What answers at ${url} is not the admin API of this version: is it an operators' listener?\n`,
  });
});

test.each([204, 302, 404, 502])('so is a %i from something else', async (status) => {
  answer = { status, type: 'text/html', body: '' };
  expect(await run('list')).toBe(1);
  expect(said).toEqual({
    out: '',
    err: `error: The server answered ${status}: is it an operators' listener?\n`,
  });
});

test('what a newer server adds is passed on', async () => {
  const body = [{ ...key, region: 'eu' }];
  answer = { status: 200, type: 'application/json', body: JSON.stringify(body) };
  expect(await run('list', '--json')).toBe(0);
  expect(JSON.parse(said.out)).toEqual(body);
});

const evil = 'acme\u202E\u001B[2J\u009B1m\u2028';
const shown = 'acme\\u202e\\u001b[2J\\u009b1m\\u2028';

test('a name with control or bidi characters is shown escaped, and columns stay aligned', async () => {
  const body = [
    { ...key, name: evil, account: evil },
    { ...key, name: 'short' },
  ];
  answer = { status: 200, type: 'application/json', body: JSON.stringify(body) };
  expect(await run('list')).toBe(0);
  const [header = '', first = '', second = ''] = said.out.split('\n');
  expect(first).toContain(`  ${shown}  ${shown}  `);
  const column = header.indexOf('PLAN');
  expect([first, second].map((line) => line.indexOf('free'))).toEqual([column, column]);
});

test('JSON has control and bidi characters escaped, and means the same', async () => {
  const body = [{ ...key, name: evil }];
  answer = { status: 200, type: 'application/json', body: JSON.stringify(body) };
  expect(await run('list', '--json')).toBe(0);
  expect(said.out).toContain(`"name": "${shown}"`);
  expect(JSON.parse(said.out)).toEqual(body);
});

test('a message of the server has control and bidi characters escaped', async () => {
  const body = { code: 'invalid_request', message: `name: got ${evil}`, status: 400 };
  answer = { status: 400, type: 'application/json', body: JSON.stringify(body) };
  expect(await run('list')).toBe(1);
  expect(said).toEqual({ out: '', err: `error: name: got ${shown}\n` });
});
