import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Key } from '@animal-store/contract/admin';
import { freePort, temporaryDirectory } from '@animal-store/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findServer } from '../../src/cli/find-server.ts';
import { adminToken } from '../support/admin.ts';
import { type CliEnvironment, cli } from '../support/run-command.ts';
import { call, useService } from '../support/test-service.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('without a server of its own', () => {
  const service = useService('postgres', { env: { ADMIN_TOKEN: adminToken } });
  const list = (env: CliEnvironment, ...args: string[]) => cli(['keys', 'list', ...args], env);

  test('it says that no server runs on the data directory', async () => {
    await using directory = await temporaryDirectory();
    expect(await list({ DATA_DIR: directory.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server runs on ${directory.path}. Start it (npm start), or set DATA_DIR, or OPS_URL and ADMIN_TOKEN.\n`,
    });
  });

  test('it says that a data directory cannot be used, and only if it needs one', async () => {
    await using directory = await temporaryDirectory();
    const DATA_DIR = join(directory.path, 'file');
    await writeFile(DATA_DIR, '');
    expect(await list({ DATA_DIR })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${join(DATA_DIR, 'ops.sock')} cannot be used: ENOTDIR.\n`,
    });
    const OPS_URL = `http://127.0.0.1:${await freePort()}`;
    const { stderr } = await list({ DATA_DIR, OPS_URL, ADMIN_TOKEN: adminToken });
    expect(stderr).toMatch(/^error: No server answers at /);
  });

  test('it neither sends nor prints an invalid token', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    await writeFile(file, `${adminToken}\nand a note\n`);
    expect(await list({}, '--url', 'http://127.0.0.1:1', '--token-file', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${file} holds no admin token: 16 to 256 visible ASCII characters.\n`,
    });
  });

  test('it requires a token if only a URL is given', async () => {
    const url = 'http://127.0.0.1:3002';
    expect(await list({ OPS_URL: url })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: There is no admin token for ${url}. Set ADMIN_TOKEN, or give --token-file.\n`,
    });
  });

  test.each([
    [{}, 'http://127.0.0.1:3001'],
    [{ OPS_PORT: '1' }, 'http://127.0.0.1:1'],
    [{ OPS_HOST: '127.0.0.9', OPS_PORT: '1' }, 'http://127.0.0.9:1'],
    [{ OPS_HOST: '0.0.0.0', OPS_PORT: '1' }, 'http://127.0.0.1:1'],
    [{ OPS_HOST: '::', OPS_PORT: '1' }, 'http://[::1]:1'],
    [{ OPS_URL: 'http://127.0.0.1:2', OPS_PORT: '1' }, 'http://127.0.0.1:2'],
  ])('with a token and %j it calls %s', (env, url) => {
    for (const [name, text] of Object.entries(env)) vi.stubEnv(name, text);
    vi.stubEnv('ADMIN_TOKEN', adminToken);
    expect(findServer({})).toEqual({ name: url, url, token: adminToken });
  });

  test("it calls the operators' listener on OPS_PORT", async () => {
    const OPS_PORT = new URL(service.server.opsUrl).port;
    expect(await list({ OPS_PORT, ADMIN_TOKEN: adminToken })).toMatchObject({ code: 0 });
  });

  test("it asks for OPS_URL where the operators' listener may be on any port", async () => {
    expect(await list({ OPS_PORT: '0', ADMIN_TOKEN: adminToken })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: OPS_PORT is 0, which is any free port. Set OPS_URL.\n',
    });
  });

  test('it says that no server answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await list({ OPS_URL: url, ADMIN_TOKEN: adminToken })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: No server answers at ${url}: ECONNREFUSED. Is it running?\n`,
    });
  });

  test('it names invalid settings without printing their values', async () => {
    const { code, stderr } = await list({ OPS_URL: 'nowhere', ADMIN_TOKEN: 'hush' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: OPS_URL: expected .*\nADMIN_TOKEN: expected .*\n$/);
    expect(stderr).not.toMatch(/nowhere|hush/);
  });

  test('it uses the server and the token of its settings', async () => {
    await using directory = await temporaryDirectory();
    const url = service.server.opsUrl;
    const file = join(directory.path, 'token');
    await writeFile(file, `${adminToken}\n`);

    const byEnvironment = await list({ OPS_URL: url, ADMIN_TOKEN: adminToken }, '--json');
    const [newest] = JSON.parse(byEnvironment.stdout) as Key[];
    expect(newest?.name).toBe('enterprise');
    // Options go before the environment.
    const wrong = { OPS_URL: 'http://127.0.0.1:1', ADMIN_TOKEN: 'not-the-admin-token' };
    const byOptions = await list(wrong, '--json', '--url', url, '--token-file', file);
    expect(byOptions).toEqual(byEnvironment);

    expect(await list({ OPS_URL: url, ADMIN_TOKEN: 'not-the-admin-token' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: The admin token is not right. Check ADMIN_TOKEN or --token-file.\n',
    });
    const publicPort = await list({ OPS_URL: service.server.origin, ADMIN_TOKEN: adminToken });
    expect(publicPort).toMatchObject({ code: 1, stderr: expect.stringContaining('no admin API') });
  });

  test('it reads all pages of a long list', async () => {
    const url = service.server.opsUrl;
    for (let n = 0; n < 98; n++) {
      await call(`${url}/admin/v1/keys`, { token: adminToken, json: '{"plan":"free"}' });
    }
    const env = { OPS_URL: url, ADMIN_TOKEN: adminToken };
    const all = JSON.parse((await list(env, '--json')).stdout) as Key[];
    expect(new Set(all.map(({ id }) => id)).size).toBe(102);
    const some = JSON.parse((await list(env, '--json', '--limit', '101')).stdout) as Key[];
    expect(some).toEqual(all.slice(0, 101));
  });
});
