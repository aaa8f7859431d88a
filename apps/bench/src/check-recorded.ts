// This program fails if a request costs over 15 % more CPU time than recorded. The measured and the
// recorded cost are both multiples of a baseline server's cost in the same run. On a busy machine,
// a larger difference is allowed.
//
// With `--record`, the program stores new reference costs. Use this option when a higher cost is
// intended.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { temporaryDirectory } from '@animal-store/testkit';
import { compareCost, noiseOf } from './compare-cost.ts';
import { pinThisProcess } from './machine.ts';
import { measureScenario, type TargetResult } from './measure-scenario.ts';
import { median } from './median.ts';
import { openStores, type Stores } from './open-stores.ts';
import { type CheckedCosts, checkedFile } from './results.ts';
import { service, waitingBaseline } from './targets.ts';
import { type Workload, workloads } from './workloads.ts';

/**
 * The checked workloads: the list that most callers request (a), single animals (c), creations (d)
 * and denied requests (f). Together, they cover the most frequent code paths of requests.
 */
const checkedWorkloads = ['a', 'c', 'd', 'f'];
const connections = 64;
const rounds = 9;
const measureMs = 1_000;
/**
 * The largest number of measurements of a workload. A workload that costs too much is measured
 * again, because the machine may have been busy.
 */
const attempts = 3;

const isRecording = process.argv.includes('--record');
const recorded = JSON.parse(readFileSync(checkedFile, 'utf8')) as CheckedCosts;
const measuredCosts: Record<string, number> = {};

pinThisProcess();
await using opened = new AsyncDisposableStack();
const directory = opened.use(await temporaryDirectory()).path;
const stores = await openStores(opened, { pets: recorded.pets, keys: recorded.keys });

let worse = 0;
for (const workload of workloads.filter(({ letter }) => checkedWorkloads.includes(letter))) {
  if (isRecording) {
    measuredCosts[workload.letter] = costOf(await measureAgain(stores, workload));
    continue;
  }
  const expected = recorded.waitingBaselines[workload.letter];
  if (expected === undefined)
    throw new Error(
      `results/checked.json has no cost for workload ${workload.letter}. Run \`npm --prefix apps/bench run record-check\`.`,
    );
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const results = await measureAgain(stores, workload);
    const measured = costOf(results);
    const noise = noiseOf(cpuOfRounds(results, waitingBaseline.name));
    const { verdict, change, allowed } = compareCost(measured, expected, noise);
    process.stdout.write(
      `(${workload.letter}) ${workload.title}: a request costs ${measured.toFixed(2)} times the CPU time of the Express baseline that waits 2 ms. The recorded cost is ${expected.toFixed(2)} (commit ${recorded.commit}). The cost has changed by the factor ${change.toFixed(2)}, and the allowed factor is ${allowed.toFixed(2)}. Verdict: ${verdict}.\n`,
    );
    if (verdict !== 'worse') break;
    if (attempt === attempts) worse += 1;
  }
}
if (isRecording) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const costs: CheckedCosts = { ...recorded, commit, waitingBaselines: measuredCosts };
  writeFileSync(checkedFile, `${JSON.stringify(costs, undefined, 2)}\n`);
}
if (worse > 0) {
  process.stdout.write(
    'A request costs over 15 % more CPU time than recorded. If you intended this increase, record the new cost as apps/bench/README.md describes.\n',
  );
  process.exitCode = 1;
}

/**
 * Returns the service's CPU time per request, divided by the CPU time of {@link waitingBaseline}.
 * The result is the median of all rounds.
 */
function costOf(results: readonly TargetResult[]): number {
  const baselineCosts = cpuOfRounds(results, waitingBaseline.name);
  // The ratio is computed for each round separately. If the machine is busy in a round, both
  // servers are slower, and their ratio hardly changes.
  return median(
    cpuOfRounds(results, service.name).map(
      (cpuUs, round) => cpuUs / (baselineCosts[round] ?? Number.NaN),
    ),
  );
}

function cpuOfRounds(results: readonly TargetResult[], name: string): number[] {
  return (
    results.find(({ target }) => target === name)?.samples.map(({ cpuUs }) => cpuUs.server) ?? []
  );
}

function measureAgain(stores: Stores, workload: Workload): Promise<TargetResult[]> {
  return measureScenario(
    { workload, targets: [waitingBaseline, service], connections },
    {
      stores,
      pets: recorded.pets,
      rounds,
      measureMs,
      directory,
      onProgress: () => {},
    },
  );
}
