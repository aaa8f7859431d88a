import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryDirectory } from '@animal-store/testkit';
import { formatTables } from './format-tables.ts';
import { describeMachine, pinThisProcess } from './machine.ts';
import { measureScenario } from './measure-scenario.ts';
import { openStores } from './open-stores.ts';
import { latestFile, type Results, type ScenarioResult } from './results.ts';
import { serviceVariant, type Target, targets } from './targets.ts';
import { type Workload, workloads } from './workloads.ts';

const help = `npm run bench -- [options]

  --workloads a,b      workloads from a to h, or all           [a]
  --targets x,y        ${targets.map(({ name }) => name).join(', ')} [all]
  --connections 1,64   simultaneous connections                [64]
  --pets 100000        animals in the table                    [100000]
  --keys 1000          API keys in the table                   [1000]
  --rounds 3           rounds; the tables show the median      [3]
  --seconds 2          measured seconds per round and target   [2]
  --variant NAME=COMMAND  also measure the service with another command, such as
                       'small=node --max-semi-space-size=4'; may be repeated
`;

const { values } = parseArgs({
  options: {
    workloads: { type: 'string', default: 'a' },
    targets: { type: 'string', default: 'all' },
    connections: { type: 'string', default: '64' },
    pets: { type: 'string', default: '100000' },
    keys: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    variant: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const chosenWorkloads = choose(workloads, values.workloads, ({ letter }) => letter);
const chosenTargets = [
  ...choose(targets, values.targets, ({ name }) => name),
  ...values.variant.map(serviceVariant),
];
const connectionCounts = numbers(values.connections);
const [pets = 0] = numbers(values.pets);
const [keys = 0] = numbers(values.keys);
const [rounds = 0] = numbers(values.rounds);
const seconds = Number(values.seconds);

pinThisProcess();
const say = (text: string) => process.stderr.write(`${text}\n`);

await using opened = new AsyncDisposableStack();
const directory = opened.use(await temporaryDirectory()).path;
say(`Adding ${pets} animals and ${keys} keys to Postgres`);
const stores = await openStores(opened, { pets, keys });

const scenarios: ScenarioResult[] = [];
for (const workload of chosenWorkloads) {
  for (const connections of connectionCounts) {
    const scenario = { workload, targets: targetsOf(workload), connections };
    const results = await measureScenario(scenario, {
      stores,
      pets,
      rounds,
      measureMs: seconds * 1_000,
      directory,
      onProgress: say,
    });
    scenarios.push({ workload: workload.letter, connections, results });
  }
}

const results: Results = {
  commit: commitOf(),
  date: new Date().toISOString(),
  node: process.version,
  machine: describeMachine(),
  pets,
  keys,
  rounds,
  seconds,
  scenarios,
};
mkdirSync(dirname(latestFile), { recursive: true });
writeFileSync(latestFile, `${JSON.stringify(results, undefined, 2)}\n`);
process.stdout.write(formatTables(results));

/**
 * Returns the servers to measure for a workload. Refused requests are measured only on the service
 * and the baselines, not on other frameworks.
 */
function targetsOf(workload: Workload): Target[] {
  return chosenTargets.filter(({ kind }) => kind !== 'peer' || workload.refusal === undefined);
}

function choose<T>(all: readonly T[], text: string, nameOf: (one: T) => string): readonly T[] {
  if (text === 'all') return all;
  return text.split(',').map((name) => {
    const found = all.find((one) => nameOf(one) === name);
    if (found === undefined)
      throw new Error(`"${name}" is unknown. Use one of ${all.map(nameOf).join(', ')}.`);
    return found;
  });
}

function numbers(text: string): number[] {
  return text.split(',').map((part) => {
    const number = Number(part);
    if (!Number.isInteger(number) || number < 1)
      throw new Error(`"${part}" is not valid. Use a whole number of at least 1.`);
    return number;
  });
}

/**
 * Returns the commit of the measured code. If the working tree has uncommitted changes, the commit
 * ends with a `+`.
 */
function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--untracked-files=no') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isDirty ? '+' : '');
}
