import { parseArgs } from 'node:util';
import { nodeFlags, type Server, temporaryDirectory } from '@animal-store/testkit';
import { cpuTimeNs, describeMachine, pinThisProcess, residentBytes } from './machine.ts';
import { median } from './median.ts';
import { offerLoad } from './offer-load.ts';
import { openStores } from './open-stores.ts';
import { startTarget } from './start-target.ts';
import { service } from './targets.ts';
import { type Workload, workloads } from './workloads.ts';

const help = `npm --prefix apps/bench run replicas -- [options]

  --workloads b,e      workloads from a to e                           [b,e]
  --replicas 1,2,3     numbers of replicas                             [1,2,3]
  --connections 64     connections to each replica                     [64]
  --rounds 5           rounds; the table shows the median              [5]
  --seconds 2          measured seconds per round and number           [2]
`;

const { values } = parseArgs({
  options: {
    workloads: { type: 'string', default: 'b,e' },
    replicas: { type: 'string', default: '1,2,3' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const chosen = workloads.filter(({ letter }) => values.workloads.split(',').includes(letter));
const numbers = values.replicas.split(',').map(Number);
const size = { pets: 100_000, keys: 1_000 };

/** The CPU time per request in microseconds, and the resident memory of one replica. */
interface Cost {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly replicaUs: number;
  readonly redisUs: number;
  readonly postgresUs: number;
  readonly residentMb: number;
}

pinThisProcess();
await using opened = new AsyncDisposableStack();
const directory = opened.use(await temporaryDirectory()).path;
const stores = await openStores(opened, size);
process.stdout.write(`${describeMachine()}; all replicas share one processor\n\n`);
say(['workload', 'replicas', 'requests/s', 'replica µs', 'Redis µs', 'Postgres µs', 'p99', 'RSS']);
say(['---', ...Array.from({ length: 7 }, () => '--:')]);
for (const workload of chosen) await compareNumbers(workload);

/**
 * Measures one workload with each number of replicas, in turn, and prints a row for each number.
 */
async function compareNumbers(workload: Workload): Promise<void> {
  await using running = new AsyncDisposableStack();
  await stores.redis.command('flushall');
  const replicas: Server[] = [];
  for (let n = 1; n <= Math.max(...numbers); n += 1) {
    const target = {
      ...service,
      name: `replica ${n}`,
      command: [process.execPath, ...nodeFlags],
    };
    const env = { ...workload.env, MAX_CONNECTIONS_PER_NETWORK: '0' };
    replicas.push(await startTarget(running, target, { stores, env, directory }));
  }
  const costs = new Map<number, Cost[]>(numbers.map((number) => [number, []]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // The warm-up of the first round is longer, because the just-in-time compiler has not optimized
    // all replicas yet.
    const warmUp =
      round === 0
        ? { milliseconds: 3_000, requests: 40_000 }
        : { milliseconds: 300, requests: 100 };
    for (let turn = 0; turn < numbers.length; turn += 1) {
      // The first round starts with the largest number of replicas. After this measurement, all
      // replicas have warmed up.
      const number = numbers.toReversed()[(round + turn) % numbers.length] as number;
      costs.get(number)?.push(await measure(workload, replicas.slice(0, number), warmUp));
    }
  }
  for (const [number, samples] of costs) {
    const of = (read: (cost: Cost) => number) => median(samples.map(read));
    say([
      `(${workload.letter}) ${workload.title}`,
      String(number),
      Math.round(of((cost) => cost.requestsPerSecond)).toLocaleString('en'),
      of((cost) => cost.replicaUs).toFixed(1),
      of((cost) => cost.redisUs).toFixed(1),
      of((cost) => cost.postgresUs).toFixed(1),
      `${of((cost) => cost.p99Ms).toFixed(1)} ms`,
      `${Math.round(of((cost) => cost.residentMb))} MB`,
    ]);
  }
}

async function measure(
  workload: Workload,
  replicas: readonly Server[],
  warmUp: { milliseconds: number; requests: number },
): Promise<Cost> {
  const cpuNs = { replicas: 0, redis: 0, postgres: 0 };
  const { seconds, answered, p99Ms } = await offerLoad({
    origins: replicas.map(({ origin }) => origin),
    connections: Number(values.connections) * replicas.length,
    calls: (connection) => workload.calls({ tokens: stores.tokens, pets: size.pets }, connection),
    refusal: workload.refusal,
    warmUp,
    measureMs: Number(values.seconds) * 1_000,
    onMeasure(moment) {
      const sign = moment === 'begin' ? -1 : 1;
      for (const { pid } of replicas) cpuNs.replicas += sign * cpuTimeNs(pid);
      cpuNs.redis += sign * cpuTimeNs(stores.redis.pid);
      cpuNs.postgres += sign * cpuTimeNs(stores.postgres.pid);
    },
  });
  const perRequest = (ns: number) => ns / 1_000 / answered;
  return {
    requestsPerSecond: answered / seconds,
    p99Ms,
    replicaUs: perRequest(cpuNs.replicas),
    redisUs: perRequest(cpuNs.redis),
    postgresUs: perRequest(cpuNs.postgres),
    residentMb: Math.max(...replicas.map(({ pid }) => residentBytes(pid))) / 2 ** 20,
  };
}

function say(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
