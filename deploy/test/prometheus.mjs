import { equal } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, repository, start } from './steps.mjs';

/**
 * Starts a Prometheus that scrapes replicas.
 *
 * @returns its URL, and a function that calls its API.
 */
export async function startPrometheus(scope, servers, port) {
  const directory = await makeDirectory(scope);
  const targets = servers.map(({ opsUrl }) => new URL(opsUrl).host);
  const configuration = {
    global: { scrape_interval: '250ms', evaluation_interval: '250ms' },
    rule_files: [join(repository, 'deploy/prometheus/animal-store.rules.yaml')],
    scrape_configs: [
      { job_name: 'animal-store', static_configs: [{ targets, labels: { namespace: 'shop' } }] },
    ],
  };
  // The configuration is written as JSON, because every JSON file is also valid YAML.
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configuration));
  const prometheus = await start(scope, 'prometheus', [
    `--config.file=${directory}/prometheus.yml`,
    `--storage.tsdb.path=${directory}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--enable-feature=exemplar-storage',
  ]);
  await prometheus.untilOutput(/ready to receive web requests/);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async ask(path) {
      const response = await fetch(`${url}/api/v1/${path}`);
      const { status, error, data } = await response.json();
      equal(status, 'success', `Prometheus refuses ${path}: ${error}`);
      return data;
    },
  };
}
