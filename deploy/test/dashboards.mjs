import { deepEqual, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { openRedis, until } from '../../packages/testkit/src/index.ts';
import { buildDashboards } from '../grafana/build-dashboards.mjs';
import { dashboards } from '../grafana/dashboard-definitions.mjs';
import { startPrometheus } from './prometheus.mjs';
import { ask, askAdmin, repository, startReplica } from './steps.mjs';

/** The panels that have data only if something fails. */
const mayBeEmpty = new Set(
  dashboards
    .flatMap(({ rows }) => rows.flatMap(({ panels }) => panels))
    .filter((panel) => panel.mayBeEmpty)
    .map(({ title }) => title),
);

/** The values of the dashboard variables during the test. */
const variables = {
  $namespace: 'shop',
  $job: 'animal-store',
  $instance: '.+',
  $__rate_interval: '20s',
};

/** Replaces the variables in a query, as Grafana does. */
const fillIn = (expr) =>
  Object.entries(variables).reduce((text, it) => text.replaceAll(...it), expr);

/** Starts a server that accepts all traces, and returns its URL. */
async function startCollector(scope) {
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Runs every query of the dashboards and every rule in a real Prometheus, which scrapes two
 * replicas under load.
 */
export async function testDashboards({ scope, createDatabase, freePort, say }) {
  const files = Object.entries(buildDashboards());
  for (const [file, built] of files) {
    const committed = readFileSync(join(repository, 'deploy/grafana/dashboards', file), 'utf8');
    ok(
      committed === built,
      `${file} is outdated. Run npx node deploy/grafana/build-dashboards.mjs.`,
    );
  }

  const { url: redisUrl } = scope.use(await openRedis());
  const { url: databaseUrl } = await createDatabase();
  // The replicas write their usage counts often, so that the metrics about these writes are not
  // empty.
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, USAGE_FLUSH_MS: '500' };
  // Every request is traced, so that the panels show exemplars.
  const env = { ...stores, OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(scope) };
  const servers = await Promise.all([startReplica(scope, env), startReplica(scope, env)]);
  const { ask: askPrometheus } = await startPrometheus(scope, servers, await freePort());
  const query = async (expr) =>
    (await askPrometheus(`query?query=${encodeURIComponent(expr)}`)).result;

  // The load lasts for several scrapes. It causes responses of each status: 200, 201, 401, 404, 429
  // and 501.
  const createKey = async (perMinute) => {
    const quota = { perMinute, perDay: 1_000_000 };
    return (await askAdmin(servers[0], '/keys', { name: 'load', plan: 'enterprise', quota })).token;
  };
  const [wide, narrow] = [await createKey(1_000_000), await createKey(1)];
  await until(async () => {
    for (const { baseUrl } of servers) {
      await Promise.all([
        ask(`${baseUrl}/pets?limit=5`, wide),
        ask(`${baseUrl}/pets`, wide, { name: 'Rex', categoryId: 1 }),
        ask(`${baseUrl}/pets/999999`, wide),
        ask(`${baseUrl}/store/orders`, wide),
        ask(`${baseUrl}/pets`, 'nobody'),
        ask(`${baseUrl}/pets`, narrow),
      ]);
    }
    const [scrapes] = await query('min(count_over_time(up[5m]))');
    return Number(scrapes?.value[1]) >= 8;
  });

  const panels = files.flatMap(([, text]) => JSON.parse(text).panels);
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  );
  for (const { title, expr } of queries) {
    const filledIn = fillIn(expr);
    const isFound = (await query(filledIn)).length > 0;
    ok(
      isFound || mayBeEmpty.has(title),
      `The query of the panel "${title}" returns nothing: ${filledIn}`,
    );
  }
  const traced = panels.flatMap(({ title, targets = [] }) =>
    targets.filter(({ exemplar }) => exemplar).map(({ expr }) => ({ title, expr })),
  );
  ok(traced.length > 0, 'No panel shows traces.');
  for (const { title, expr } of traced) {
    const series = await askPrometheus(
      `query_exemplars?query=${encodeURIComponent(fillIn(expr))}&start=0&end=${Date.now() / 1_000 + 60}`,
    );
    const ids = series.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels.trace_id));
    ok(ids.length > 0, `The query of the panel "${title}" returns no exemplar: ${fillIn(expr)}`);
    ok(
      ids.every((id) => /^[\da-f]{32}$/.test(id)),
      `"${title}" has an exemplar without a trace.`,
    );
  }
  const { groups } = await askPrometheus('rules');
  const rules = groups.flatMap((group) => group.rules);
  ok(rules.length > 20, 'Prometheus has loaded fewer rules than expected.');
  deepEqual(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  );
  say(
    `${queries.length} queries of dashboards find something, ${traced.length} of them traces, ${rules.length} rules are evaluated`,
  );
}
