import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, freePort, repository, spawnServer, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { sample, scrape } from '../support/observed.ts';

/** The files that use metrics: alert rules, the runbook and dashboards. */
const sources = [
  'deploy/prometheus/animal-store.rules.yaml',
  'docs/capacity.md',
  'docs/operating.md',
  ...readdirSync(join(repository, 'deploy/grafana/dashboards')).map(
    (file) => `deploy/grafana/dashboards/${file}`,
  ),
];

// On Linux, the output goes to /dev/full, a device that behaves like a full disk.
test('the server process exports every documented metric, and works even if its log cannot be written', async () => {
  await using database = await createDatabase('postgres');
  const [port, opsPort] = [await freePort(), await freePort()];
  const device = existsSync('/dev/full') ? '/dev/full' : '/dev/null';
  const main = join(repository, 'apps/server/src/main.ts');
  await using server = await spawnServer({
    command: ['sh', '-c', `exec "$0" "$1" > ${device} 2> ${device}`, process.execPath, main],
    env: { ...database.env, PORT: String(port), OPS_PORT: String(opsPort) },
  });
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const atStart = await until(() => scrape({ opsUrl }));
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/v1/pets`)).status;
  await until(ask);
  // The test sends enough requests to fill several batches of log lines.
  const statuses = new Set<number>();
  for (let i = 0; i < 100; i += 1) statuses.add(await ask());
  expect(statuses).toEqual(new Set([401, 429]));
  const afterRequests = await scrape({ opsUrl });
  server.signal('SIGTERM');
  expect(await server.exited).toEqual({ code: 0, signal: null });

  // All metrics must exist before the first request. If a metric begins to exist with its first
  // increase, an alert does not see this increase.
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
  const options = { input: afterRequests, encoding: 'utf8' } as const;
  expect(spawnSync(await findProgram('promtool'), ['check', 'metrics'], options)).toMatchObject({
    ...{ status: 0, stdout: '', stderr: '' },
  });
});
