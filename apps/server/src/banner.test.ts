import { defaultPlace } from '@animal-store/postgres';
import { expect, test } from 'vitest';
import { banner } from './banner.ts';

const demoToken = `ast_${'0aZ'.repeat(12)}`;
const embedded = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  dataDir: defaultPlace.dataDir,
  redisUrls: [],
  opsUrl: 'http://127.0.0.1:3001',
  hasAdminToken: false,
  demoToken: undefined,
};

test('the banner shows the addresses, the new API key and a curl command at the first start with the embedded database', () => {
  const text = banner({ ...embedded, demoToken });
  expect(text).toBe(`Animal Store is listening on http://127.0.0.1:3000/v1

  Docs     http://127.0.0.1:3000/docs
  Data     ${defaultPlace.dataDir} (embedded database; delete the directory to start with an empty one)
  Limits   counted in this process (Redis is not configured): run only one replica
  Ops      http://127.0.0.1:3001 (for operators)
  Keys     npm run keys; for access to the admin API: npm run operators
  Console  http://127.0.0.1:3001/console
           Log in with the token that this command prints:
           npm run operators -- create --name you --role owner

  API key  ${demoToken}
           Free plan. Save the key now: it is not shown again. Web pages need a key that
           can only read: npm run keys -- create --plan free --read-only

Try it:

  curl -i -H "Authorization: Bearer ${demoToken}" "http://127.0.0.1:3000/v1/pets?limit=3"

`);
});

test('the links of the banner contain localhost when the service listens on all addresses', () => {
  const all = { baseUrl: 'http://0.0.0.0:3000/v1', opsUrl: 'http://[::]:3001' };
  const text = banner({ ...embedded, ...all, demoToken });
  expect(text).toContain('Animal Store is listening on http://0.0.0.0:3000/v1\n');
  expect(text).toContain('Docs     http://localhost:3000/docs\n');
  expect(text).toContain('Console  http://localhost:3001/console\n');
  expect(text).toContain('"http://localhost:3000/v1/pets?limit=3"');
});

test('the banner shows commands that find the embedded server in another directory than the default', () => {
  const commands = (dataDir: string, more: object = {}) =>
    banner({ ...embedded, dataDir, ...more }).match(/\S* ?npm run (?:keys|operators)/g);
  const plain = 'DATA_DIR=/srv/data npm run';
  expect(commands('/srv/data')).toEqual([
    ...[`${plain} keys`, `${plain} operators`, `${plain} operators`, `${plain} keys`],
  ]);
  expect(commands('/srv/data', { demoToken })).toHaveLength(4);
  expect(banner({ ...embedded, dataDir: "/srv/Ann's data" })).toContain(
    String.raw`DATA_DIR='/srv/Ann'\''s data' npm run keys`,
  );
});

test('the banner names DATABASE_URL and REDIS_URL without their values, because the values contain passwords', () => {
  const redisUrls = ['redis://:hunter2@redis:6379'];
  const text = banner({ ...embedded, dataDir: undefined, redisUrls });
  expect(text).toMatch(/DATABASE_URL.*REDIS_URL/s);
  expect(text).not.toMatch(/hunter2|API key|curl|embedded/);
});

test('the banner says to log in to the console with the ADMIN_TOKEN, or to set an ADMIN_TOKEN if the service uses Postgres and has none', () => {
  const login = (more: object) => /^ +(Log in .*)$/m.exec(banner({ ...embedded, ...more }))?.[1];
  expect(login({ hasAdminToken: true })).toContain('with the ADMIN_TOKEN');
  expect(login({ dataDir: undefined })).toContain('Set ADMIN_TOKEN');
});
