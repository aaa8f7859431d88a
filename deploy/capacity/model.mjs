// This program computes the resources that a number of API keys and requests need. docs/capacity.md
// explains how reliable its assumptions are.
//
//   npx node deploy/capacity/model.mjs               prints both tables of docs/capacity.md
//   npx node deploy/capacity/model.mjs 50000 2000    for 50,000 active keys and 2,000 requests/s at the peak

import { readFileSync } from 'node:fs';

const recorded = JSON.parse(
  readFileSync(new URL('../../apps/bench/results/recorded.json', import.meta.url), 'utf8'),
);

/** Returns the recorded medians of the service in a benchmark workload. */
function medianOf(workload) {
  const scenario = recorded.scenarios.find((it) => it.workload === workload);
  if (scenario === undefined)
    throw new Error(
      `recorded.json has no numbers for workload ${workload}. Run \`npm run bench\` and \`npm run bench:record\`.`,
    );
  return scenario.results.find(({ target }) => target === 'service').median;
}

/** Returns the recorded CPU time of a request in a benchmark workload, in microseconds. */
const cpuOf = (workload) => medianOf(workload).cpuUs;

/**
 * The assumed mix of requests: 80 % list requests with many different API keys (workload b), 15 %
 * reads of one animal (c), and 5 % creations (d).
 */
const mix = { b: 0.8, c: 0.15, d: 0.05 };
const mean = (part) =>
  Object.entries(mix).reduce((sum, [workload, share]) => sum + share * cpuOf(workload)[part], 0);

const assumptions = {
  /**
   * The CPU time of a request whose API key is cached, in microseconds. apps/bench measures this
   * time.
   */
  serverUs: mean('server'),
  redisUs: mean('redis'),
  postgresUs: mean('postgres'),
  /**
   * The CPU time of the service for the cheapest request, in microseconds. This time is the unit of
   * the costs below.
   */
  unitUs: cpuOf('a').server,
  /**
   * The cost of looking up an API key, as a multiple of `unitUs`. docs/capacity.md describes the
   * measurement.
   */
  lookupCost: { server: 0.8, postgres: 0.55 },
  /**
   * The cost of a usage entry, from counting the request to storing the rows, as a multiple of
   * `unitUs`. docs/capacity.md describes the measurement.
   */
  entryCost: { server: 0.4, postgres: 0.6 },
  /** The share of a core that the service may use on average. */
  utilisation: 0.6,
  /**
   * The memory of Redis in bytes: for each API key that is used within a day, and for an empty
   * Redis. docs/capacity.md describes the measurement.
   */
  redisBytesPerKey: 200,
  redisBaseBytes: 64e6,
  /**
   * The disk space of a usage row with its index, in bytes. docs/admin-behaviour.md, "The usage
   * ledger", explains the number.
   */
  ledgerRowBytes: 175,
  /**
   * The activity of an API key in a day: the number of minutes and hours with requests, and the
   * number of different operations and outcomes.
   */
  activeMinutes: 60,
  activeHours: 8,
  kinds: 2,
  /** How long usage is stored, in days. These are the defaults in docs/settings.md. */
  keptDays: { minutes: 2, hours: 90, days: 400 },
  /** The share of requests that create an animal. */
  creations: mix.d,
  /** The number of creations that one database transaction commits under load. */
  creationsPerCommit: 10,
  /** How often a replica writes its usage counts, in seconds. */
  flushSeconds: 4,
  /** How long a replica caches an API key, in seconds, and how many API keys it can cache. */
  knownSeconds: 30,
  knownKeys: 20_000,
};

/** Computes the resources for a number of active keys and a peak rate of requests per second. */
function need(keys, requests) {
  const it = assumptions;
  // The average number of API keys that are active in the same minute. The model assumes that all
  // API keys are used within the same 8 hours, and that each API key is active in 60 of the 480
  // minutes.
  const activeKeys = keys * (it.activeMinutes / (it.activeHours * 60));
  let replicas = 3;
  let usage;
  // The number of replicas is computed again and again until it is stable. More replicas change the
  // cost, because each replica caches fewer keys, and all replicas together write more entries.
  for (let round = 0; round < 20; round += 1) {
    usage = usageOf({ activeKeys, requests, replicas });
    replicas = Math.max(3, Math.ceil(usage.serverCores) + 1);
  }
  const daySeconds = it.activeHours * 3_600;
  const requestsPerKey = (requests * daySeconds) / keys;
  const rowsPerDay = {
    minutes: distinct(it.kinds * it.activeMinutes, requestsPerKey),
    hours: distinct(it.kinds * it.activeHours, requestsPerKey),
    days: distinct(it.kinds, requestsPerKey),
  };
  const keyBytes = Object.entries(it.keptDays).reduce(
    (sum, [bucket, days]) => sum + rowsPerDay[bucket] * days * it.ledgerRowBytes,
    0,
  );
  return {
    keys,
    requests,
    replicas,
    ...usage,
    redisNodes: Math.max(1, Math.ceil(usage.redisCores)),
    redisBytes: it.redisBaseBytes + keys * it.redisBytesPerKey,
    commitsPerSecond:
      (requests * it.creations) / it.creationsPerCommit + replicas / it.flushSeconds,
    ledgerBytes: keys * keyBytes,
  };
}

/**
 * Returns the expected number of different entries that a number of random requests create.
 * `places` is the number of possible entries, such as one for each key in each minute.
 */
const distinct = (places, requests) => places * (1 - Math.exp(-requests / places));

/** Returns the CPU cores that the peak needs with the given number of replicas. */
function usageOf({ activeKeys, requests, replicas }) {
  const it = assumptions;
  /**
   * The average number of requests per second that one replica receives with one API key. The
   * formulas below assume that requests arrive at random times.
   */
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
const formatTable = (rows) => rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** The requests of each benchmark workload. */
const workloads = {
  a: 'one list of 20 animals, one key',
  b: '200 different lists, 1,000 keys',
  c: 'single animals by id, one key',
  d: 'creations, one key',
  e: '80 % lists, 15 % single animals, 5 % creations; 1,000 keys',
  f: 'denied requests (429)',
  h: 'requests without a valid key (401)',
};

/** Formats what one core of a replica handles, and what its requests need elsewhere. */
function formatCores() {
  const rows = Object.entries(workloads).map(([workload, title]) => {
    const { cpuUs, residentMb } = medianOf(workload);
    return [
      `(${workload}) ${title}`,
      (Math.round(1e4 / cpuUs.server) * 100).toLocaleString('en'),
      (cpuUs.redis / 100).toFixed(2),
      (cpuUs.postgres / 100).toFixed(2),
      `${Math.round(residentMb)} MB`,
    ];
  });
  const header = [
    ...[
      'requests',
      'requests/s for each core of a replica',
      'cores of Redis for 10,000 requests/s',
    ],
    ...['cores of Postgres for 10,000 requests/s', 'memory of a replica'],
  ];
  return formatTable([header, ['---', ...header.slice(1).map(() => '--:')], ...rows]);
}

/** The sentence between the two tables of docs/capacity.md. */
const modelled = `The next table is computed by the model from these figures. It assumes that cores are busy for ${assumptions.utilisation * 100} % of the time.`;

const header = [
  ...['active keys', 'requests/s', 'replicas', 'cores of Redis', 'memory of Redis'],
  ...['cores of Postgres', 'commits/s', 'ledger entries/s', 'usage ledger'],
];
if (!(requests > 0)) console.log(`${formatCores()}\n${modelled}\n`);
process.stdout.write(
  formatTable([header, header.map(() => '--:'), ...points.map((point) => format(need(...point)))]),
);
