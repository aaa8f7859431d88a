import { expect, test } from 'vitest';
import { banner } from './banner.ts';

const demoToken = `ast_${'0aZ'.repeat(12)}`;
const embedded = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  dataDir: '/srv/data',
  redisUrls: [],
  opsUrl: 'http://127.0.0.1:3001',
  hasAdminToken: false,
  demoToken: undefined,
};

test('the first start on an embedded database shows everything that a newcomer needs', () => {
  const text = banner({ ...embedded, demoToken });
  expect(text).toBe(`Animal Store is listening on http://127.0.0.1:3000/v1

  Docs     http://127.0.0.1:3000/docs
  Data     in /srv/data, embedded: delete it to start again from nothing
  Limits   in this process: run one replica only
  Ops      for operators, on http://127.0.0.1:3001
  Keys     npm run keys; npm run operators for who may use it
  Console  http://127.0.0.1:3001/console
           Log in with the token of: npm run operators -- create --name you --role owner

  API key  ${demoToken}
           Free plan. Keep it: it is not shown again. It may read and write, so keep it
           out of web pages: npm run keys -- create --plan free --read-only

Try it:

  curl -i -H "Authorization: Bearer ${demoToken}" "http://127.0.0.1:3000/v1/pets?limit=3"

`);
});

test('a start on Postgres and Redis names the variables, not their values, which hold passwords', () => {
  const redisUrls = ['redis://:hunter2@redis:6379'];
  const text = banner({ ...embedded, dataDir: undefined, redisUrls });
  expect(text).toMatch(/DATABASE_URL.*REDIS_URL/s);
  expect(text).not.toMatch(/hunter2|API key|curl|embedded/);
});

test('it says how to log in to the console without the embedded database', () => {
  const login = (more: object) => /^ +(Log in .*)$/m.exec(banner({ ...embedded, ...more }))?.[1];
  expect(login({ hasAdminToken: true })).toContain('with the ADMIN_TOKEN');
  expect(login({ dataDir: undefined })).toContain('Set ADMIN_TOKEN');
});
