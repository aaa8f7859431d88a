import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { findProgram, temporaryDirectory } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { send } from '../support/send.ts';
import { call, useService } from '../support/test-service.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const origin = 'https://pets.example.org';

const service = useService('postgres', {
  env: { PUBLIC_URL: origin, STAGING_URL: 'https://staging.example.org' },
});

const get = (path: string, headers: Record<string, string> = {}) =>
  send(service.server.origin, { method: 'GET', target: path, headers });

describe('/openapi.json', () => {
  test('names the real addresses', async () => {
    const { status, body, headers } = await call(`${service.server.origin}/openapi.json`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: `${origin}/v1` }, { url: 'https://staging.example.org/v1' }],
    });
  });

  test('is answered with 304 if it has not changed', async () => {
    const first = await get('/openapi.json');
    const etag = first.headers.get('ETag');
    const again = await get('/openapi.json', { 'If-None-Match': String(etag) });
    expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag]);
    const other = await get('/openapi.json', { 'If-None-Match': '"another"' });
    expect(other.status).toBe(200);
  });

  test('answers GET and HEAD only', async () => {
    const target = '/openapi.json';
    const head = await send(service.server.origin, { method: 'HEAD', target, headers: {} });
    expect([head.status, head.text]).toEqual([200, '']);
    const put = await send(service.server.origin, { method: 'PUT', target, headers: {} });
    expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    expect(JSON.parse(put.text)).toMatchObject({ code: 'method_not_allowed', status: 405 });
  });

  test('needs no key and has no quota', async () => {
    for (let i = 0; i < 70; i++) expect((await get('/openapi.json')).status).toBe(200);
    const { headers } = await get('/openapi.json');
    expect([...headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
  });

  test('can be read by pages of other origins', async () => {
    const { headers } = await get('/openapi.json', { Origin: 'https://tools.example' });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});

describe('/docs', () => {
  test('allows no script but its own, and no other host', async () => {
    const { status, headers } = await get('/docs');
    expect(status).toBe(200);
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' https://staging.example.org; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test('is the target of a redirect from / for browsers only', async () => {
    const browser = await get('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('Location')]).toEqual([302, '/docs']);
    for (const accept of ['application/json', '*/*']) {
      const program = await get('/', { Accept: accept });
      expect(program.status).toBe(404);
      expect(JSON.parse(program.text)).toMatchObject({ code: 'not_found' });
    }
  });

  test('is served as it is in the repository, compressed and plain', async () => {
    const [path = ''] = /\/docs\/scalar[^"]*/.exec((await get('/docs')).text) ?? [];
    const served = await fetch(service.server.origin + path);
    expect(served.headers.get('Content-Encoding')).toBe('gzip');
    expect(served.headers.get('Cache-Control')).toContain('immutable');
    const plain = await get(path);
    expect(plain.headers.has('Content-Encoding')).toBe(false);
    const copy = await readFile(join(repository, 'apps/server/assets/reference/scalar.js.gz'));
    const original = gunzipSync(copy);
    expect(Buffer.from(await served.arrayBuffer()).equals(original)).toBe(true);
    expect(Buffer.from(plain.text).equals(original)).toBe(true);
  });
});

type Sample = { lang: string; label: string; source: string };

test('every sample runs as it stands', async () => {
  await using directory = await temporaryDirectory();
  const scope = join(directory.path, 'node_modules/@animal-store');
  await mkdir(scope, { recursive: true });
  await symlink(join(repository, 'packages/client'), join(scope, 'client'));
  await service.call('/pets', { json: '{"name":"Mia","categoryId":3}' });

  const document = (await call(`${service.server.origin}/openapi.json`)).body as {
    paths: Record<string, Record<string, { operationId: string; 'x-codeSamples': Sample[] }>>;
  };
  await findProgram('curl');
  const outcomes: Record<string, string> = {};
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    for (const { lang, label, source } of operation['x-codeSamples']) {
      const local = source.replaceAll(`${origin}/v1`, service.server.baseUrl);
      const file = join(directory.path, lang === 'shell' ? 'sample.sh' : 'sample.mts');
      await writeFile(file, local);
      const { stdout, stderr } = await run(lang === 'shell' ? 'sh' : process.execPath, [file], {
        cwd: directory.path,
        // biome-ignore lint/style/noProcessEnv: the samples call curl
        env: { PATH: String(process.env['PATH']), API_KEY: service.tokens.enterprise },
      }).catch((error: { stdout: string; stderr: string }) => error);
      outcomes[`${operation.operationId}, ${label}`] =
        /^HTTP\/1.1 \d+|not_implemented|Mia|^\d+$/m.exec(stdout + stderr)?.[0] ?? stdout + stderr;
    }
  }
  expect(outcomes).toEqual({
    'listPets, curl': 'HTTP/1.1 200',
    'listPets, TypeScript client': 'Mia',
    'listPets, fetch': 'Mia',
    'createPet, curl': 'HTTP/1.1 201',
    'createPet, TypeScript client': expect.stringMatching(/^\d+$/),
    'createPet, fetch': expect.stringMatching(/^\d+$/),
    'getPet, curl': 'HTTP/1.1 200',
    'getPet, TypeScript client': 'Mia',
    'getPet, fetch': 'Mia',
    'getRateLimit, curl': 'HTTP/1.1 200',
    'getRateLimit, fetch': expect.stringContaining('remaining'),
    'listOrders, curl': 'HTTP/1.1 501',
    'listOrders, fetch': 'not_implemented',
  });
});
