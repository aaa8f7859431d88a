import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findProgram, freePort, runServer, temporaryDirectory, until } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
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

let atStart: string;
let afterRequests: string;
const statuses = new Set<number>();
let exitCode: number | null;
/** The scripts that the process has loaded. */
let scripts: string[];

// One process for all tests. On Linux its output goes to a device that is a full disk.
beforeAll(async () => {
  await using database = await createDatabase('postgres');
  await using directory = await temporaryDirectory();
  const [port, opsPort] = [await freePort(), await freePort()];
  const askMany = async () => {
    const server = { opsUrl: `http://127.0.0.1:${opsPort}` };
    atStart = await until(() => scrape(server));
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/v1/pets`)).status;
    await until(ask);
    // Enough for several batches of lines.
    for (let i = 0; i < 100; i += 1) statuses.add(await ask());
    afterRequests = await scrape(server);
  };
  const device = existsSync('/dev/full') ? '/dev/full' : '/dev/null';
  const main = join(repository, 'apps/server/src/main.ts');
  const { code } = await runServer({
    command: ['sh', '-c', `exec "$0" "$1" > ${device} 2> ${device}`, process.execPath, main],
    env: {
      ...database.env,
      ...{ PORT: String(port), OPS_PORT: String(opsPort) },
      NODE_V8_COVERAGE: directory.path,
    },
    interrupt: { signal: 'SIGTERM', after: askMany() },
  });
  exitCode = code;
  scripts = readdirSync(directory.path)
    .map((file) => readFileSync(join(directory.path, file), 'utf8'))
    .flatMap((file) => (JSON.parse(file) as { result: { url: string }[] }).result)
    .map(({ url }) => url);
});

test('before its first request a process has every metric that documents ask for', async () => {
  const existing = new Set(
    [...atStart.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
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
  expect(sample(atStart, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  const resident = sample(atStart, 'process_resident_memory_bytes') ?? Number.NaN;
  expect(sample(atStart, 'animal_store_memory_limit_bytes')).toBeGreaterThan(resident);
  expect(await checkMetrics(afterRequests)).toBe('');
});

test('a process loads no exporter of traces', () => {
  const loaded = scripts
    .map((url) => /node_modules\/(@opentelemetry\/[^/]+)\/(?!.*node_modules)/.exec(url)?.[1])
    .filter((name) => name !== undefined);
  // prom-client brings the API along, which does nothing by itself.
  expect(new Set(loaded)).toEqual(new Set(['@opentelemetry/api']));
});

test('a banner and a log that cannot be written cost no request and no clean stop', () => {
  expect(statuses).toEqual(new Set([401, 429]));
  expect(exitCode).toBe(0);
});

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
