import { expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/test-service.ts';

const service = useService('postgres', {
  env: { OPS_HOSTS: 'Metrics.internal, server', ADMIN_TOKEN: 'an-admin-token-of-the-tests' },
});

async function statusFor(path: string, headers: readonly string[], version = '1.1') {
  const bytes = rawRequest({ line: `GET ${path} HTTP/${version}`, headers });
  const [answer] = await sendRaw(service.server.opsUrl, bytes);
  return answer;
}

test.each([
  '127.0.0.1',
  '127.0.0.1:3001',
  '[::1]:3001',
  '10.1.2.3:3001',
  'localhost',
  'LOCALHOST:3001',
  'metrics.internal',
  'metrics.internal:9000',
  'server:3001',
])('the ops listener answers requests for %s', async (host) => {
  expect((await statusFor('/metrics', [`Host: ${host}`]))?.status).toBe(200);
});

test.each([
  'evil.example',
  'evil.example:3001',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'metrics.internal.evil.example',
  'evil.example@localhost',
  'a b',
  '[',
  '',
])('the ops listener refuses requests for %j, against DNS rebinding', async (host) => {
  for (const path of ['/metrics', '/livez', '/readyz', '/admin/v1/keys', '/nowhere']) {
    const answer = await statusFor(path, [`Host: ${host}`, 'Authorization: Bearer a-wrong-token']);
    expect(answer?.status).toBe(400);
    expect(answer?.body).toEqual({
      code: 'invalid_request',
      message: 'Host: expected an IP address, localhost, or one of OPS_HOSTS',
      status: 400,
    });
  }
});

test('a probe by HTTP/1.0 without a Host is answered: browsers always send one', async () => {
  expect((await statusFor('/livez', [], '1.0'))?.status).toBe(200);
});
