import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRedis, startServer, temporaryDirectory } from '../../packages/testkit/src/index.ts';
import { buildDashboards } from '../grafana/build-dashboards.mjs';
import { dashboards } from '../grafana/dashboard-definitions.mjs';
import { adminToken, askAdmin, expect, repository, start, until } from './steps.mjs';

/** Panels that show nothing while nothing fails. */
const mayBeEmpty = new Set(
  dashboards
    .flatMap(({ rows }) => rows.flatMap(({ panels }) => panels))
    .filter((panel) => panel.mayBeEmpty)
    .map(({ title }) => title),
);

/** Runs every query of the dashboards, and every rule, in a Prometheus that scrapes two replicas under load. */
export async function testDashboards({ scope, createDatabase, freePort, say }) {
  const files = buildDashboards();
  for (const [file, built] of Object.entries(files)) {
    const committed = readFileSync(join(repository, 'deploy/grafana/dashboards', file), 'utf8');
    expect(committed === built, `${file} is outdated: node deploy/grafana/build-dashboards.mjs`);
  }

  const { url } = await createDatabase();
  const redis = scope.use(await openRedis());
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    ADMIN_TOKEN: adminToken,
    // So that a write is seen.
    USAGE_FLUSH_MS: '500',
  };
  const startReplica = async () => scope.use(await startServer({ env }));
  const servers = await Promise.all([startReplica(), startReplica()]);
  const prometheus = await startPrometheus(scope, servers, await freePort());

  // So much that each kind of answer is there in several scrapes: 200, 201, 401, 404, 429.
  const createKey = async (perMinute) => {
    const key = { name: 'load', plan: 'enterprise', quota: { perMinute, perDay: 1_000_000 } };
    return (await askAdmin(servers[0], 'POST', '/keys', key)).token;
  };
  const wide = await createKey(1_000_000);
  const narrow = await createKey(1);
  let asked = 0;
  await until(async () => {
    for (const { baseUrl } of servers) {
      const ask = (token, path, init) =>
        fetch(`${baseUrl}${path}`, {
          ...init,
          headers: { Authorization: `Bearer ${token}`, ...init?.headers },
        });
      const body = '{"name":"Rex","categoryId":1}';
      await Promise.all([
        ask(wide, '/pets?limit=5'),
        ask(wide, '/pets', {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json' },
        }),
        ask(wide, '/pets/999999'),
        ask(wide, '/store/orders'),
        ask('nobody', '/pets'),
        ask(narrow, '/pets'),
      ]);
      asked += 6;
    }
    const [scrapes] = await prometheus.query('min(count_over_time(up[5m]))');
    return Number(scrapes?.value[1]) >= 8;
  }, 'Eight scrapes');
  say(`${asked} requests`);

  let queries = 0;
  for (const [file, text] of Object.entries(files)) {
    for (const { title, targets = [] } of JSON.parse(text).panels) {
      for (const { expr } of targets) {
        const filledIn = expr
          .replaceAll('$namespace', 'shop')
          .replaceAll('$job', 'animal-store')
          .replaceAll('$instance', '.+')
          .replaceAll('$__rate_interval', '20s');
        const result = await prometheus.query(filledIn);
        queries += 1;
        const isGood = result.length > 0 || mayBeEmpty.has(title);
        expect(isGood, `${file}, "${title}": ${filledIn} finds nothing.`);
      }
    }
  }
  say(`${queries} queries of dashboards find something`);

  const { groups } = await prometheus.get('/api/v1/rules');
  const rules = groups.flatMap((group) => group.rules);
  const faulty = rules.filter(({ health }) => health !== 'ok');
  expect(rules.length > 20, 'There are no rules.');
  expect(faulty.length === 0, `Faulty rules: ${JSON.stringify(faulty)}`);
  say(`${rules.length} rules are evaluated`);
}

async function startPrometheus(scope, servers, port) {
  const { path: directory } = scope.use(await temporaryDirectory());
  const targets = servers.map(({ opsUrl }) => new URL(opsUrl).host);
  const configuration = {
    global: { scrape_interval: '250ms', evaluation_interval: '250ms' },
    rule_files: [join(repository, 'deploy/prometheus/animal-store.rules.yaml')],
    scrape_configs: [
      { job_name: 'animal-store', static_configs: [{ targets, labels: { namespace: 'shop' } }] },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configuration));
  const prometheus = start(scope, 'prometheus', [
    `--config.file=${directory}/prometheus.yml`,
    `--storage.tsdb.path=${directory}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await prometheus.untilOutput(/ready to receive web requests/);
  const origin = `http://127.0.0.1:${port}`;
  async function get(path) {
    const response = await fetch(origin + path);
    const { status, error, data } = await response.json();
    expect(status === 'success', `Prometheus refuses ${path}: ${error}`);
    return data;
  }
  return {
    get,
    query: async (expr) => (await get(`/api/v1/query?query=${encodeURIComponent(expr)}`)).result,
  };
}
