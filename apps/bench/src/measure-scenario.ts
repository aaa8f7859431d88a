import { measure, type Sample } from './measure.ts';
import { median } from './median.ts';
import type { Stores } from './open-stores.ts';
import { startTarget } from './start-target.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

/** A benchmark of several servers with one workload and one number of connections. */
export type Scenario = {
  readonly workload: Workload;
  readonly targets: readonly Target[];
  readonly connections: number;
};

export type RunOptions = {
  readonly stores: Stores;
  readonly pets: number;
  readonly rounds: number;
  readonly measureMs: number;
  readonly directory: string;
  readonly onProgress: (text: string) => void;
};

export type TargetResult = {
  readonly target: string;
  readonly samples: readonly Sample[];
  readonly median: Sample;
};

/**
 * The shortest duration and the smallest number of requests of the first warm-up. It must be long
 * enough for a ban to begin, and for the just-in-time compiler to optimize the code. After 6,000
 * requests, a request still costs 1.5 times as much as after 30,000.
 */
const firstWarmUp = { milliseconds: 3_000, requests: 30_000 };
const nextWarmUp = { milliseconds: 300, requests: 100 };

export async function measureScenario(
  { workload, targets, connections }: Scenario,
  { stores, pets, rounds, measureMs, directory, onProgress }: RunOptions,
): Promise<TargetResult[]> {
  await using opened = new AsyncDisposableStack();
  await stores.redis.command('flushall');
  const running = [];
  for (const target of targets) {
    const server = await startTarget(opened, target, {
      stores,
      env: target.kind === 'service' ? (workload.env ?? {}) : {},
      directory,
    });
    running.push({ target, server, samples: [] as Sample[] });
  }

  for (let round = 0; round < rounds; round++) {
    // Each round starts with another server. If the order were always the same, one server could
    // slow down the next one in every round.
    for (let turn = 0; turn < running.length; turn++) {
      const entry = running[(round + turn) % running.length] as (typeof running)[number];
      const sample = await measure({
        ...entry,
        stores,
        workload,
        pets,
        connections,
        warmUp: round === 0 ? firstWarmUp : nextWarmUp,
        measureMs,
      });
      entry.samples.push(sample);
      onProgress(
        `${workload.letter} ${connections} round ${round + 1} ${entry.target.name}: ${sample.requestsPerSecond.toFixed(0)}/s, ${sample.cpuUs.server.toFixed(1)} µs`,
      );
    }
  }
  return running.map(({ target, samples }) => ({
    target: target.name,
    samples,
    median: medianOf(samples),
  }));
}

function medianOf(samples: readonly Sample[]): Sample {
  const of = (figure: (sample: Sample) => number) => median(samples.map(figure));
  return {
    requestsPerSecond: of((sample) => sample.requestsPerSecond),
    p50Ms: of((sample) => sample.p50Ms),
    p99Ms: of((sample) => sample.p99Ms),
    cpuUs: {
      server: of((sample) => sample.cpuUs.server),
      redis: of((sample) => sample.cpuUs.redis),
      postgres: of((sample) => sample.cpuUs.postgres),
    },
    residentMb: of((sample) => sample.residentMb),
  };
}
