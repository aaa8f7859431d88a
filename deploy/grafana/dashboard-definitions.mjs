// This file defines the dashboards: rows of panels, and the queries and legends of each panel.
// build-dashboards.mjs converts it to Grafana's JSON.

/** Label filters for queries: the environment and the replicas that the viewer has selected. */
const inEnvironment = 'namespace="$namespace",job="$job"';
const on = `${inEnvironment},instance=~"$instance"`;
const rate = (metric, labels = '') => `rate(${metric}{${on}${labels}}[$__rate_interval])`;
const sumBy = (by, expr) => `sum by (${by}) (${expr})`;
const quantile = (q, metric, by, labels = '') =>
  `histogram_quantile(${q}, ${sumBy(`le, ${by}`, rate(`${metric}_bucket`, labels))})`;
const perInstance = (metric) => ({ expr: `${metric}{${on}}`, legend: '{{instance}}' });

const requests = 'animal_store_http_requests_total';
const requestSeconds = 'animal_store_http_request_duration_seconds';
const waitSeconds = 'animal_store_http_request_wait_duration_seconds';
const redisSeconds = 'animal_store_redis_command_duration_seconds';
const statementSeconds = 'animal_store_database_statement_duration_seconds';
/**
 * Creates a panel with the time that requests spend in a stage, such as waiting for Redis. Each
 * point in the panel is a sampled request, and links to the trace of this request.
 */
const waitPanel = (title, stage) => ({
  title,
  unit: 's',
  hasExemplars: true,
  queries: ['0.5', '0.95', '0.99'].map((q) => ({
    expr: quantile(q, waitSeconds, 'stage', `,stage="${stage}"`),
    legend: `quantile ${q}`,
  })),
});
/**
 * The label filter for failed requests. The status 501 means "not implemented" and is not a
 * failure.
 */
const failed = ',status=~"5..",status!="501"';

export const dashboards = [
  {
    file: 'traffic',
    title: 'Animal Store: traffic',
    rows: [
      {
        title: 'Objectives',
        panels: [
          {
            title: 'Failed requests (objective: below 0.1 %)',
            unit: 'percentunit',
            queries: [
              {
                expr: `animal_store:http_requests:error_ratio_5m{${inEnvironment}}`,
                legend: '5 min',
              },
              {
                expr: `animal_store:http_requests:error_ratio_1h{${inEnvironment}}`,
                legend: '1 h',
              },
              {
                expr: `animal_store:http_requests:error_ratio_3d{${inEnvironment}}`,
                legend: '3 d',
              },
            ],
          },
          {
            title: 'Requests slower than 100 ms (objective: below 1 %)',
            unit: 'percentunit',
            queries: [
              {
                expr: `animal_store:http_requests:slow_ratio_5m{${inEnvironment}}`,
                legend: '5 min',
              },
              { expr: `animal_store:http_requests:slow_ratio_1h{${inEnvironment}}`, legend: '1 h' },
              { expr: `animal_store:http_requests:slow_ratio_3d{${inEnvironment}}`, legend: '3 d' },
            ],
          },
        ],
      },
      {
        title: 'Requests',
        panels: [
          {
            title: 'Requests by route',
            unit: 'reqps',
            queries: [
              { expr: sumBy('method, route', rate(requests)), legend: '{{method}} {{route}}' },
            ],
          },
          {
            title: 'Requests by status',
            unit: 'reqps',
            queries: [{ expr: sumBy('status', rate(requests)), legend: '{{status}}' }],
          },
          {
            title: 'Failures by route',
            unit: 'reqps',
            mayBeEmpty: true,
            queries: [
              {
                expr: sumBy('route, status', rate(requests, failed)),
                legend: '{{status}} {{route}}',
              },
            ],
          },
          {
            title: 'Response time',
            unit: 's',
            queries: ['0.5', '0.95', '0.99'].map((q) => ({
              expr: quantile(q, requestSeconds, 'job'),
              legend: `quantile ${q}`,
            })),
          },
          {
            title: 'Response time by route, 99th percentile',
            unit: 's',
            queries: [{ expr: quantile('0.99', requestSeconds, 'route'), legend: '{{route}}' }],
          },
          {
            title: 'Requests in flight',
            unit: 'short',
            queries: [perInstance('animal_store_requests_in_flight')],
          },
        ],
      },
      {
        title: 'Where time goes',
        panels: [
          {
            title: 'Share of each step in the response time',
            unit: 'percentunit',
            queries: [
              {
                expr: `${sumBy('stage', rate(`${waitSeconds}_sum`))} / on () group_left () sum(${rate(`${requestSeconds}_sum`)})`,
                legend: '{{stage}}',
              },
              {
                expr: `1 - sum(${rate(`${waitSeconds}_sum`)}) / sum(${rate(`${requestSeconds}_sum`)})`,
                legend: 'the replica itself',
              },
            ],
          },
          waitPanel('Time in the queue (overload)', 'queue'),
          waitPanel('Wait for Redis', 'redis'),
          waitPanel('Wait for Postgres', 'sql'),
          {
            title: 'Response time, with links to traces',
            unit: 's',
            hasExemplars: true,
            queries: ['0.5', '0.95', '0.99'].map((q) => ({
              expr: quantile(q, requestSeconds, 'job'),
              legend: `quantile ${q}`,
            })),
          },
          {
            title: 'Dropped spans',
            unit: 'short',
            queries: [
              {
                expr: sumBy('reason', rate('animal_store_spans_dropped_total')),
                legend: '{{reason}}',
              },
            ],
          },
        ],
      },
    ],
  },
  {
    file: 'limits',
    title: 'Animal Store: limits',
    rows: [
      {
        title: 'Quota decisions',
        panels: [
          {
            title: 'Requests by the outcome of their quota check',
            unit: 'reqps',
            queries: [
              {
                expr: sumBy('outcome', rate('animal_store_quota_decisions_total')),
                legend: '{{outcome}}',
              },
            ],
          },
          {
            title: 'Denied requests by plan and by quota window (minute or day)',
            unit: 'reqps',
            queries: [
              {
                expr: sumBy(
                  'plan, window',
                  rate('animal_store_quota_decisions_total', ',outcome!="admitted"'),
                ),
                legend: '{{plan}}, {{window}}',
              },
            ],
          },
          {
            title: 'Bans per hour',
            unit: 'short',
            queries: [
              { expr: `sum(increase(animal_store_bans_total{${on}}[1h]))`, legend: 'bans' },
            ],
          },
        ],
      },
      {
        title: 'Without Redis',
        panels: [
          {
            title: 'Replicas that count requests without Redis (1 means yes)',
            unit: 'short',
            queries: [perInstance('animal_store_redis_breaker_open')],
          },
          {
            title: 'Number of replicas, as counted by each replica',
            unit: 'short',
            queries: [perInstance('animal_store_replicas')],
          },
          {
            title: 'Time since the last heartbeat that each replica received',
            unit: 's',
            queries: [perInstance('animal_store_heartbeat_age_seconds')],
          },
        ],
      },
    ],
  },
  {
    file: 'stores',
    title: 'Animal Store: stores',
    rows: [
      {
        title: 'Postgres',
        panels: [
          {
            title: 'Statements',
            unit: 'ops',
            queries: [
              {
                expr: sumBy('statement', rate(`${statementSeconds}_count`)),
                legend: '{{statement}}',
              },
            ],
          },
          {
            title: 'Duration of an SQL statement, 99th percentile',
            unit: 's',
            queries: [
              { expr: quantile('0.99', statementSeconds, 'statement'), legend: '{{statement}}' },
            ],
          },
          {
            title: 'Failed SQL statements',
            unit: 'ops',
            mayBeEmpty: true,
            queries: [
              {
                expr: sumBy(
                  'statement, code',
                  rate('animal_store_database_statement_errors_total'),
                ),
                legend: '{{statement}}: {{code}}',
              },
            ],
          },
          {
            title: 'SQL statements in flight',
            unit: 'short',
            queries: [perInstance('animal_store_database_statements_in_flight')],
          },
        ],
      },
      {
        title: 'Redis',
        panels: [
          {
            title: 'Commands',
            unit: 'ops',
            queries: [
              { expr: sumBy('command', rate(`${redisSeconds}_count`)), legend: '{{command}}' },
            ],
          },
          {
            title: 'Duration of a Redis command, 99th percentile',
            unit: 's',
            queries: [{ expr: quantile('0.99', redisSeconds, 'command'), legend: '{{command}}' }],
          },
          {
            title: 'Failed commands',
            unit: 'ops',
            mayBeEmpty: true,
            queries: [
              {
                expr: sumBy('command', rate('animal_store_redis_command_errors_total')),
                legend: '{{command}}',
              },
            ],
          },
        ],
      },
      {
        title: 'Clocks',
        panels: [
          {
            title: 'Clock of each replica, ahead of Postgres and Redis',
            unit: 's',
            queries: [
              {
                expr: `animal_store_clock_difference_seconds{${on}}`,
                legend: '{{instance}}: {{store}}',
              },
            ],
          },
        ],
      },
      {
        title: 'Usage ledger',
        panels: [
          {
            title: 'Time since each replica last wrote its request counts',
            unit: 's',
            queries: [
              {
                expr: `animal_store_usage_write_age_seconds{${on}}`,
                legend: '{{instance}}',
              },
            ],
          },
          {
            title: 'Request counts and audit entries lost per hour',
            unit: 'short',
            queries: [
              {
                expr: `sum(increase(animal_store_usage_lost_requests_total{${on}}[1h]))`,
                legend: 'requests',
              },
              {
                expr: `sum(increase(animal_store_audit_lost_bans_total{${on}}[1h]))`,
                legend: 'bans in the audit log',
              },
            ],
          },
        ],
      },
    ],
  },
  {
    file: 'process',
    title: 'Animal Store: process',
    rows: [
      {
        title: 'Replicas',
        panels: [
          { title: 'Ready', unit: 'bool_yes_no', queries: [perInstance('animal_store_ready')] },
          {
            title: 'Version',
            unit: 'short',
            queries: [
              {
                expr: `count by (version, node) (animal_store_build_info{${on}})`,
                legend: '{{version}} on Node {{node}}',
              },
            ],
          },
          {
            title: 'Requests to the ops listener',
            unit: 'reqps',
            queries: [
              {
                expr: sumBy('route, status', rate('animal_store_ops_requests_total')),
                legend: '{{status}} {{route}}',
              },
            ],
          },
        ],
      },
      {
        title: 'Node',
        panels: [
          {
            title: 'CPU use (each replica runs on one thread)',
            unit: 'percentunit',
            queries: [{ expr: rate('process_cpu_seconds_total'), legend: '{{instance}}' }],
          },
          {
            title: 'Event loop delay, 99th percentile',
            unit: 's',
            queries: [perInstance('nodejs_eventloop_lag_p99_seconds')],
          },
          {
            title: 'Memory',
            unit: 'bytes',
            queries: [
              { expr: `process_resident_memory_bytes{${on}}`, legend: 'resident, {{instance}}' },
              { expr: `nodejs_heap_size_used_bytes{${on}}`, legend: 'heap, {{instance}}' },
            ],
          },
          {
            title: 'Share of time for garbage collection',
            unit: 'percentunit',
            queries: [
              {
                expr: sumBy('instance', rate('nodejs_gc_duration_seconds_sum')),
                legend: '{{instance}}',
              },
            ],
          },
          {
            title: 'Open files and connections',
            unit: 'short',
            queries: [perInstance('process_open_fds')],
          },
        ],
      },
    ],
  },
];
