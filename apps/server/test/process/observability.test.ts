import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import {
  findProgram,
  freePort,
  runServer,
  startServer,
  temporaryDirectory,
  until,
} from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { sample, scrape } from '../support/observed.ts';

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

test('before its first request a process has every metric that documents ask for, and loads no exporter of traces', async () => {
  await using database = await createDatabase('postgres');
  await using directory = await temporaryDirectory();
  const env = { ...database.env, NODE_V8_COVERAGE: directory.path };
  await using server = await startServer({ env });
  const metrics = await scrape(server);
  const existing = new Set(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram'
        ? ['_bucket', '_sum', '_count'].map((part) => name + part)
        : type === 'summary'
          ? [name, `${name}_sum`, `${name}_count`]
          : [name],
    ),
  );
  for (const file of sources) {
    const source = readFileSync(join(repository, file), 'utf8');
    const used = new Set(source.match(/(?<![:\w])(?:animal_store|nodejs|process)_\w+/g));
    expect(used.size, file).toBeGreaterThan(0);
    expect(
      [...used].filter((name) => !existing.has(name)),
      file,
    ).toEqual([]);
  }
  expect(sample(metrics, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  const resident = sample(metrics, 'process_resident_memory_bytes') ?? Number.NaN;
  expect(sample(metrics, 'animal_store_memory_limit_bytes')).toBeGreaterThan(resident);
  await fetch(`${server.baseUrl}/pets`);
  expect(await checkMetrics(await scrape(server))).toBe('');

  await server.stop();
  const scripts = readdirSync(directory.path)
    .map((file) => readFileSync(join(directory.path, file), 'utf8'))
    .flatMap((file) => (JSON.parse(file) as { result: { url: string }[] }).result)
    .map(({ url }) => /node_modules\/(@opentelemetry\/[^/]+)\/(?!.*node_modules)/.exec(url)?.[1]);
  // prom-client brings the API along, which does nothing by itself.
  expect(new Set(scripts.filter((name) => name !== undefined))).toEqual(
    new Set(['@opentelemetry/api']),
  );
});

// Linux has a device that is a full disk.
test.skipIf(!existsSync('/dev/full'))(
  'a banner and a log that cannot be written cost no request and no clean stop',
  async () => {
    await using database = await createDatabase('postgres');
    const port = await freePort();
    const main = join(repository, 'apps/server/src/main.ts');
    const statuses = new Set<number>();
    /** Once it listens, enough requests for several batches of lines. */
    const sendMany = async () => {
      const ask = async () => (await fetch(`http://127.0.0.1:${port}/v1/pets`)).status;
      await until(ask);
      for (let i = 0; i < 100; i += 1) statuses.add(await ask());
    };
    const { code } = await runServer({
      command: ['sh', '-c', 'exec "$0" "$1" > /dev/full 2> /dev/full', process.execPath, main],
      env: { ...database.env, PORT: String(port) },
      interrupt: { signal: 'SIGTERM', after: sendMany() },
    });
    expect(statuses).toEqual(new Set([401, 429]));
    expect(code).toBe(0);
  },
);

/** Runs `promtool check metrics` and gives all that it objects to; empty if it finds nothing. */
async function checkMetrics(metrics: string): Promise<string> {
  const promtool = spawn(await findProgram('promtool'), ['check', 'metrics']);
  promtool.stdin.end(metrics);
  const [objections, complaints, [code]] = await Promise.all([
    text(promtool.stdout),
    text(promtool.stderr),
    once(promtool, 'close'),
  ]);
  const said = `${objections}${complaints}`;
  return code === 0 ? said : `${said}exit code ${code}`;
}
