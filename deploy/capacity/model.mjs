// This model computes the resources for a number of keys and requests. docs/capacity.md says how
// reliable its assumptions are.
//
//   npx node deploy/capacity/model.mjs                  the table of docs/capacity.md
//   npx node deploy/capacity/model.mjs 50000 2000       50,000 active keys, 2,000 requests/s at the
//   peak

import { readFileSync } from 'node:fs';

const recorded = JSON.parse(
  readFileSync(new URL('../../apps/bench/results/recorded.json', import.meta.url), 'utf8'),
);

/** Returns the recorded CPU microseconds of a request in a workload of the benchmark. */
function cpuOf(workload) {
  const scenario = recorded.scenarios.find((it) => it.workload === workload);
  if (scenario === undefined) throw new Error(`recorded.json has no workload (${workload}).`);
  return scenario.results.find(({ target }) => target === 'service').median.cpuUs;
}

/**
 * The mix of requests: four fifths are lists, many different ones for many keys; the rest is gets
 * by id and creations.
 */
const mix = { b: 0.8, c: 0.15, d: 0.05 };
const mean = (part) =>
  Object.entries(mix).reduce((sum, [workload, share]) => sum + share * cpuOf(workload)[part], 0);

const assumptions = {
  /** CPU microseconds of a request whose key is cached, from apps/bench. */
  serverUs: mean('server'),
  redisUs: mean('redis'),
  postgresUs: mean('postgres'),
  /** The CPU microseconds of the server for a hot list of one key. */
  unitUs: cpuOf('a').server,
  /** The cost of a key lookup, in units of a hot list. Measured: see docs/capacity.md. */
  lookupCost: { server: 0.8, postgres: 0.55 },
  /** The cost of a ledger entry, from its request to its rows. Measured: see docs/capacity.md. */
  entryCost: { server: 0.4, postgres: 0.6 },
  /** The share of a core that may be used on average. */
  utilisation: 0.6,
  /**
   * Bytes in Redis for each key that is used within a day, and for an empty Redis. Measured: see
   * docs/capacity.md.
   */
  redisBytesPerKey: 200,
  redisBaseBytes: 64e6,
  /** Bytes in Postgres for a row with its index, from apps/server/README.md, "The usage ledger". */
  ledgerRowBytes: 175,
  /**
   * How many minutes and hours of a day a key is active, and how many kinds of request it makes.
   */
  activeMinutes: 60,
  activeHours: 8,
  kinds: 2,
  /** How long the ledger stores data: the defaults of docs/settings.md, in days. */
  keptDays: { minutes: 2, hours: 90, days: 400 },
  /** The share of requests that create something. */
  creations: mix.d,
  /** The number of creations that share a commit, under load. */
  creationsPerCommit: 10,
  /** How often a replica writes its counts, in seconds. */
  flushSeconds: 4,
  /** How long a replica caches a key, in seconds, and how many keys. */
  knownSeconds: 30,
  knownKeys: 20_000,
};

/** Computes the resources for a number of active keys and requests per second at the peak. */
function need(keys, requests) {
  const it = assumptions;
  // The model assumes that all keys are active within the same hours.
  const activeKeys = keys * (it.activeMinutes / (it.activeHours * 60));
  let replicas = 3;
  let use;
  // With more replicas, each caches fewer keys, and writes more entries.
  for (let round = 0; round < 20; round += 1) {
    use = useOf({ activeKeys, requests, replicas });
    replicas = Math.max(3, Math.ceil(use.serverCores) + 1);
  }
  const daySeconds = it.activeHours * 3_600;
  const ofAKey = (requests * daySeconds) / keys;
  const rowsADay = {
    minutes: distinct(it.kinds * it.activeMinutes, ofAKey),
    hours: distinct(it.kinds * it.activeHours, ofAKey),
    days: distinct(it.kinds, ofAKey),
  };
  const keyBytes = Object.entries(it.keptDays).reduce(
    (sum, [bucket, days]) => sum + rowsADay[bucket] * days * it.ledgerRowBytes,
    0,
  );
  return {
    keys,
    requests,
    replicas,
    ...use,
    redisNodes: Math.max(1, Math.ceil(use.redisCores)),
    redisBytes: it.redisBaseBytes + keys * it.redisBytesPerKey,
    commitsPerSecond:
      (requests * it.creations) / it.creationsPerCommit + replicas / it.flushSeconds,
    ledgerBytes: keys * keyBytes,
  };
}

/** Returns how many of these places random requests hit. */
const distinct = (places, requests) => places * (1 - Math.exp(-requests / places));

/** Returns the cores that the peak needs, with the given number of replicas. */
function useOf({ activeKeys, requests, replicas }) {
  const it = assumptions;
  /** The rate of requests with one key on one replica. They arrive at random. */
  const rate = requests / activeKeys / replicas;
  const isUnknown = Math.max(1 / (1 + it.knownSeconds * rate), 1 - it.knownKeys / activeKeys);
  const entriesPerSecond =
    distinct(replicas * activeKeys * it.kinds, requests * it.flushSeconds) / it.flushSeconds;
  const cores = (us) => us / 1e6 / it.utilisation;
  const withKeys = (part) =>
    it.unitUs *
    (requests * isUnknown * it.lookupCost[part] + entriesPerSecond * it.entryCost[part]);
  return {
    entriesPerSecond,
    serverCores: cores(requests * it.serverUs + withKeys('server')),
    redisCores: cores(requests * it.redisUs),
    postgresCores: cores(requests * it.postgresUs + withKeys('postgres')),
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
    Math.ceil(row.commitsPerSecond).toLocaleString('en'),
    Math.ceil(row.entriesPerSecond).toLocaleString('en'),
    bytes(row.ledgerBytes),
  ];
}

const [keys, requests] = process.argv.slice(2).map(Number);
const points =
  requests > 0
    ? [[keys, requests]]
    : [1e4, 1e5, 1e6].flatMap((keys) => [1e3, 1e4, 1e5].map((requests) => [keys, requests]));
const header = [
  ...['active keys', 'requests/s', 'replicas', 'cores of Redis', 'memory of Redis'],
  ...['cores of Postgres', 'commits/s', 'ledger entries/s', 'usage ledger'],
];
const lines = [header, header.map(() => '--:'), ...points.map((point) => format(need(...point)))];
for (const cells of lines) console.log(`| ${cells.join(' | ')} |`);
