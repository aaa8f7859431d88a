import { parseArgs } from 'node:util';
import { temporaryDirectory } from '@animal-store/testkit';
import { pinThisProcess, residentBytes } from './machine.ts';
import { type OfferedResult, offerLoad } from './offer-load.ts';
import { openStores } from './open-stores.ts';
import { rest } from './protocols.ts';
import { startTarget } from './start-target.ts';
import { service } from './targets.ts';
import { workloads } from './workloads.ts';

const help = `npm --prefix apps/bench run overload -- [options]

  --workload a         a to e, i or j                                  [a]
  --connections 4500   of the callers that do not back off             [4500]
  --loads 1,2,4        multiples of what 64 connections are answered   [1,2,4]
  --seconds 8          measured seconds per load                       [8]
  --heap-mb 256        what Node takes in a container of twice as much [256]
  --env NAME=VALUE     a setting of the service; may be repeated
  --program PATH       another main.ts, such as one of another commit
  --by-second          also shows every second
`;

const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: 'a' },
    connections: { type: 'string', default: '4500' },
    loads: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '8' },
    'heap-mb': { type: 'string', default: '256' },
    env: { type: 'string', multiple: true, default: [] },
    program: { type: 'string', default: service.program },
    'by-second': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const workload = workloads.find(({ letter }) => letter === values.workload);
if (workload === undefined) throw new Error(`${values.workload}: no such workload`);
const many = Number(values.connections);
const measureMs = Number(values.seconds) * 1_000;
const size = { pets: 100_000, keys: 1_000 };

/** Empty counts as unset: the testkit gives servers longer limits than they have by default. */
const ownLimits = {
  MAX_CONNECTIONS_PER_NETWORK: '0',
  MAX_WAIT_MS: '',
  // Of earlier commits.
  MAX_LOOP_DELAY_MS: '',
  REDIS_TIMEOUT_MS: '',
};

pinThisProcess();
await using opened = new AsyncDisposableStack();
const directory = opened.use(await temporaryDirectory()).path;
const stores = await openStores(opened, size);
const [server] = await startTarget(
  opened,
  { ...service, program: values.program },
  {
    stores,
    replicas: 1,
    env: {
      ...workload.env,
      ...ownLimits,
      ...Object.fromEntries(values.env.map((setting) => setting.split('=', 2))),
    },
    directory,
    node: [process.execPath, `--max-old-space-size=${values['heap-mb']}`],
  },
);
if (server === undefined) throw new Error('No server.');
const { origin, pid } = server;

const offer = (connections: number, perSecond: number, warmUpMs: number) =>
  offerLoad({
    origin,
    connections,
    perSecond,
    requests: (connection) =>
      workload.calls({ tokens: stores.tokens, pets: size.pets }, connection).map(rest.request),
    warmUpMs,
    measureMs,
  });

const whole = (figure: number) => Math.round(figure).toLocaleString('en');
function row(title: string, { seconds, total, bySecond }: OfferedResult, capacity: number): string {
  const { answered, refused, p50Ms, p99Ms } = total;
  const share = Math.round((answered / seconds / capacity) * 100);
  const figures = [
    `${whole((answered + refused) / seconds)}/s`,
    `${whole(answered / seconds)}/s`,
    `${share} %`,
    `${whole(refused / seconds)}/s`,
    `${whole(p50Ms)} ms`,
    `${whole(p99Ms)} ms`,
    `${whole(residentBytes(pid) / 2 ** 20)} MB`,
  ];
  const seen = bySecond.map((each) => `${each.answered} (${whole(each.p99Ms)} ms)`).join(', ');
  const text = `| ${title} | ${figures.join(' | ')} |\n`;
  return values['by-second'] ? `${text}\nAnswered by second (p99): ${seen}\n\n` : text;
}

const say = (text: string) => process.stdout.write(text);
say('| load | sent | answered | of capacity | refused | p50 | p99 | RSS |\n');
say('|---|--:|--:|--:|--:|--:|--:|--:|\n');
/** What 64 connections are answered now. Other work on the machine changes it from minute to minute. */
async function measureCapacity(warmUpMs: number): Promise<OfferedResult> {
  const result = await offer(64, Number.POSITIVE_INFINITY, warmUpMs);
  say(row('64 connections', result, result.total.answered / result.seconds));
  return result;
}
const perSecondOf = ({ total, seconds }: OfferedResult) => total.answered / seconds;
let before = perSecondOf(await measureCapacity(6_000));
for (const load of [...values.loads.split(',').map(Number), Number.POSITIVE_INFINITY]) {
  const result = await offer(many, load * before, 3_000);
  const title =
    load === Number.POSITIVE_INFINITY
      ? `${whole(many)} connections that send at once`
      : `${load} × on ${whole(many)} connections`;
  const after = perSecondOf(await measureCapacity(1_000));
  say(row(title, result, (before + after) / 2));
  before = after;
}
