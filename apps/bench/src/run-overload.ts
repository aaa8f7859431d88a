import { parseArgs } from 'node:util';
import { nodeFlags, temporaryDirectory } from '@animal-store/testkit';
import { cpuTimeNs, pinThisProcess, residentBytes } from './machine.ts';
import { offerLoad } from './offer-load.ts';
import { openStores } from './open-stores.ts';
import { startTarget } from './start-target.ts';
import { service } from './targets.ts';
import { workloads } from './workloads.ts';

const help = `npm --prefix apps/bench run overload -- [options]

  --workload a         the workload, from a to e                       [a]
  --connections 4500   connections of callers that do not back off     [4500]
  --loads 1,2,4        multiples of the capacity on 64 connections     [1,2,4]
  --seconds 8          measured seconds per load                       [8]
  --heap-mb 256        heap of Node, half the memory of a container    [256]
  --env NAME=VALUE     a setting of the service; may be repeated
`;

const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: 'a' },
    connections: { type: 'string', default: '4500' },
    loads: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '8' },
    'heap-mb': { type: 'string', default: '256' },
    env: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const workload = workloads.find(({ letter }) => letter === values.workload);
if (workload === undefined)
  throw new Error(`There is no workload ${values.workload}. Use a letter from a to e.`);
const manyConnections = Number(values.connections);
const measureMs = Number(values.seconds) * 1_000;
const size = { pets: 100_000, keys: 1_000 };

/**
 * Settings for this benchmark. All connections come from this machine, so `0` turns off the limit
 * of connections per network. The testkit sets a long MAX_WAIT_MS for tests, so an empty value
 * restores the default of the service.
 */
const ownLimits = { MAX_CONNECTIONS_PER_NETWORK: '0', MAX_WAIT_MS: '' };

pinThisProcess();
await using opened = new AsyncDisposableStack();
const directory = opened.use(await temporaryDirectory()).path;
const stores = await openStores(opened, size);
const command = [process.execPath, ...nodeFlags, `--max-old-space-size=${values['heap-mb']}`];
const { origin, pid } = await startTarget(
  opened,
  { ...service, command },
  {
    stores,
    env: {
      ...workload.env,
      ...ownLimits,
      ...Object.fromEntries(values.env.map((setting) => setting.split('=', 2))),
    },
    directory,
  },
);

/**
 * Sends requests at a rate, and returns the responses per second and the CPU time of the service
 * for each response.
 */
async function offer(connections: number, perSecond: number | undefined, warmUpMs: number) {
  let cpuNs = 0;
  const { seconds, answered, refused, p50Ms, p99Ms } = await offerLoad({
    origins: [origin],
    connections,
    perSecond,
    calls: (connection) =>
      workload?.calls({ tokens: stores.tokens, pets: size.pets }, connection) ?? [],
    refusal: workload?.refusal,
    warmUp: { milliseconds: warmUpMs, requests: 0 },
    measureMs,
    onMeasure(moment) {
      cpuNs = moment === 'begin' ? cpuTimeNs(pid) : cpuTimeNs(pid) - cpuNs;
    },
  });
  return {
    answered: answered / seconds,
    refused: refused / seconds,
    p50Ms,
    p99Ms,
    cpuMicros: cpuNs / 1_000 / answered,
    isBusy: cpuNs / 1e9 / seconds,
  };
}
type Offered = Awaited<ReturnType<typeof offer>>;

const whole = (figure: number) => Math.round(figure).toLocaleString('en');
const percent = (share: number) => `${Math.round(share * 100)} %`;
const say = (...cells: string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

function sayRow(title: string, seen: Offered, capacity: Pick<Offered, 'answered' | 'cpuMicros'>) {
  const { answered, refused, p50Ms, p99Ms, cpuMicros, isBusy } = seen;
  say(
    title,
    `${whole(answered + refused)}/s`,
    `${whole(answered)}/s`,
    percent(answered / capacity.answered),
    percent(capacity.cpuMicros / cpuMicros),
    `${whole(refused)}/s`,
    `${whole(p50Ms)} ms`,
    `${whole(p99Ms)} ms`,
    percent(isBusy),
    `${whole(residentBytes(pid) / 2 ** 20)} MB`,
  );
}

/**
 * Measures how many responses per second the service can send at this moment, on 64 connections.
 * The number changes from minute to minute, because other work on the machine changes.
 */
async function measureCapacity(warmUpMs: number): Promise<Offered> {
  const capacity = await offer(64, undefined, warmUpMs);
  sayRow('64 connections', capacity, capacity);
  return capacity;
}

const columns = 'load|sent|answered|of capacity|by CPU time|refused|p50|p99|CPU|RSS'.split('|');
say(...columns);
say(...columns.map((_, index) => (index === 0 ? '---' : '--:')));
let before = await measureCapacity(6_000);
for (const load of values.loads.split(',').map(Number)) {
  const seen = await offer(manyConnections, load * before.answered, 3_000);
  const after = await measureCapacity(1_000);
  sayRow(`${load} × on ${whole(manyConnections)} connections`, seen, {
    answered: (before.answered + after.answered) / 2,
    cpuMicros: (before.cpuMicros + after.cpuMicros) / 2,
  });
  before = after;
}
