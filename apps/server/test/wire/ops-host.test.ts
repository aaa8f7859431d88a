import { expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/test-service.ts';

const service = useService('postgres', {
  env: { OPS_HOSTS: 'Metrics.internal, server', ADMIN_TOKEN: 'an-admin-token-of-the-tests' },
});

async function ask(path: string, headers: readonly string[], version = '1.1') {
  const bytes = rawRequest({ line: `GET ${path} HTTP/${version}`, headers });
  return (await sendRaw(service.server.opsUrl, bytes))[0];
}

test('the ops listener answers requests for addresses, localhost and OPS_HOSTS', async () => {
  const addresses = ['127.0.0.1', '127.0.0.1:3001', '[::1]:3001', '10.1.2.3:3001'];
  const names = [
    'localhost',
    'LOCALHOST:3001',
    'metrics.internal',
    'metrics.internal:9',
    'server:1',
  ];
  for (const host of [...addresses, ...names]) {
    expect((await ask('/metrics', [`Host: ${host}`]))?.status, host).toBe(200);
  }
  // A probe by HTTP/1.0 may have none: browsers always send one.
  expect((await ask('/livez', [], '1.0'))?.status).toBe(200);
});

test.each([
  ...['evil.example', 'evil.example:3001', '127.0.0.1.evil.example', 'localhost.evil.example'],
  ...['metrics.internal.evil.example', 'evil.example@localhost', 'a b', '[', ''],
])('the ops listener refuses requests for %j, against DNS rebinding', async (host) => {
  for (const path of ['/metrics', '/livez', '/readyz', '/admin/v1/keys', '/console', '/nowhere']) {
    const answer = await ask(path, [`Host: ${host}`, 'Authorization: Bearer a-wrong-token']);
    const message = 'Host: expected an IP address, localhost, or one of OPS_HOSTS';
    expect(answer?.body).toEqual({ code: 'invalid_request', message, status: 400 });
    expect(answer?.status).toBe(400);
  }
});
