// How much a number of keys and requests needs. docs/capacity.md says what the assumptions are worth.
//
//   node deploy/capacity/model.mjs                  the table of docs/capacity.md
//   node deploy/capacity/model.mjs 50000 2000       50,000 active keys, 2,000 requests/s at the peak

import { readFileSync } from 'node:fs';

const recorded = JSON.parse(
  readFileSync(new URL('../../apps/bench/results/recorded.json', import.meta.url), 'utf8'),
);

/** The recorded CPU microseconds of a request of a workload of the benchmark. */
function cpuOf(workload) {
  const { results } = recorded.scenarios.find((scenario) => scenario.workload === workload);
  return results.find(({ target }) => target === 'service').median.cpuUs;
}

/** Four fifths hot lists, the rest gets by id and creations. */
const mix = { a: 0.8, c: 0.15, d: 0.05 };
const mean = (part) =>
  Object.entries(mix).reduce((sum, [workload, share]) => sum + share * cpuOf(workload)[part], 0);

export const assumptions = {
  /** CPU microseconds of a request, from apps/bench. */
  serverUs: mean('server'),
  redisUs: mean('redis'),
  postgresUs: mean('postgres'),
  /** How much of a core may be used on average. */
  utilisation: 0.6,
  /** Bytes in Redis for each key that is used within a day, and of an empty Redis. Measured by check.mjs. */
  redisBytesPerKey: 200,
  redisBaseBytes: 64e6,
  /** Bytes in Postgres for a row of the usage ledger with its index. Measured by check.mjs. */
  ledgerRowBytes: 160,
  /** On how many minutes and hours of a day a key is active, and how many kinds of request it makes. */
  activeMinutes: 60,
  activeHours: 8,
  kinds: 2,
  /** How long the ledger keeps what: the defaults of docs/settings.md, in days. */
  keptDays: { minutes: 2, hours: 90, days: 400 },
  /** The share of requests that create something. */
  creations: mix.d,
  /** Creations that share a commit, under load. */
  creationsPerCommit: 10,
  /** How often a replica writes its counts, in seconds. */
  flushSeconds: 5,
};

/** What so many active keys and requests per second at the peak need. */
function need(keys, requests, given = {}) {
  const it = { ...assumptions, ...given };
  const cores = (us) => (requests * us) / 1e6 / it.utilisation;
  const replicas = Math.max(3, Math.ceil(cores(it.serverUs)) + 1);
  const rowsADay = { minutes: it.activeMinutes, hours: it.activeHours, days: 1 };
  const ledgerRows = Object.entries(it.keptDays).reduce(
    (sum, [bucket, days]) => sum + keys * it.kinds * rowsADay[bucket] * days,
    0,
  );
  return {
    keys,
    requests,
    replicas,
    redisCores: cores(it.redisUs),
    redisNodes: Math.max(1, Math.ceil(cores(it.redisUs))),
    redisBytes: it.redisBaseBytes + keys * it.redisBytesPerKey,
    postgresCores: cores(it.postgresUs),
    commitsPerSecond:
      (requests * it.creations) / it.creationsPerCommit + replicas / it.flushSeconds,
    ledgerBytes: ledgerRows * it.ledgerRowBytes,
  };
}

function format(row) {
  const bytes = (count) =>
    count < 1e9 ? `${Math.ceil(count / 1e6)} MB` : `${Math.ceil(count / 1e9)} GB`;
  return [
    row.keys.toLocaleString('en'),
    row.requests.toLocaleString('en'),
    row.replicas,
    `${row.redisCores.toFixed(1)} (${row.redisNodes === 1 ? 'one Redis' : `Cluster of ${row.redisNodes}`})`,
    bytes(row.redisBytes),
    row.postgresCores.toFixed(1),
    Math.ceil(row.commitsPerSecond),
    bytes(row.ledgerBytes),
  ];
}

if (import.meta.main) {
  const [keys, requests] = process.argv.slice(2).map(Number);
  const points =
    requests > 0
      ? [[keys, requests]]
      : [1e4, 1e5, 1e6].flatMap((keys) => [1e3, 1e4, 1e5].map((requests) => [keys, requests]));
  const header = [
    ...['active keys', 'requests/s', 'replicas', 'cores of Redis', 'memory of Redis'],
    ...['cores of Postgres', 'commits/s', 'usage ledger'],
  ];
  const lines = [header, header.map(() => '--:'), ...points.map((point) => format(need(...point)))];
  for (const cells of lines) console.log(`| ${cells.join(' | ')} |`);
}
