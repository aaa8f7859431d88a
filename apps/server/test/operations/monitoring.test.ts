import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRedis, type Redis } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scrape } from '../support/observed.ts';
import { startService, type TestService } from '../support/test-service.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Everything that asks for metrics: rules, the runbook, dashboards. */
const sources = [
  'deploy/prometheus/animal-store.rules.yaml',
  'docs/capacity.md',
  'docs/operating.md',
  ...readdirSync(join(repository, 'deploy/grafana/dashboards')).map(
    (file) => `deploy/grafana/dashboards/${file}`,
  ),
];

let redis: Redis;
let service: TestService;
let existing: ReadonlySet<string>;

beforeAll(async () => {
  redis = await openRedis();
  service = await startService('postgres', { env: { REDIS_URL: redis.url } });
  const types = [...(await scrape(service.server)).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  existing = new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram'
        ? ['_bucket', '_sum', '_count'].map((part) => name + part)
        : type === 'summary'
          ? [name, `${name}_sum`, `${name}_count`]
          : [name],
    ),
  );
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await redis.close();
});

test.each(sources)('every metric in %s exists on /metrics', (file) => {
  const text = readFileSync(join(repository, file), 'utf8');
  const used = new Set(text.match(/(?<![:\w])(?:animal_store|nodejs|process)_\w+/g));
  expect(used.size).toBeGreaterThan(0);
  expect([...used].filter((name) => !existing.has(name))).toEqual([]);
});
