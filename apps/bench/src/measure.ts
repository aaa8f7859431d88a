import type { Server } from '@animal-store/testkit';
import { cpuTimeNs, residentBytes } from './machine.ts';
import { type OfferedLoad, offerLoad } from './offer-load.ts';
import type { Stores } from './open-stores.ts';
import type { Target } from './targets.ts';
import { type Data, type Workload, workloads } from './workloads.ts';

/** The measurements of one round, in which one server was under load for some seconds. */
export type Sample = {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The CPU time per request of each process, in microseconds. */
  readonly cpuUs: { readonly server: number; readonly redis: number; readonly postgres: number };
  /** The resident memory of the server at the end of the round, in megabytes. */
  readonly residentMb: number;
};

export type MeasureOptions = {
  readonly target: Target;
  readonly server: Server;
  readonly stores: Stores;
  readonly workload: Workload;
  readonly pets: number;
  readonly connections: number;
  readonly warmUp: OfferedLoad['warmUp'];
  readonly measureMs: number;
};

/** Measures one round of load on one server. */
export async function measure(options: MeasureOptions): Promise<Sample> {
  const { target, server, stores, connections, warmUp, measureMs } = options;
  const data: Data = { tokens: stores.tokens, pets: options.pets };
  // A baseline server responds to every request with the same list. It is always measured with
  // workload (a), which requests this list, because the other workloads expect other responses.
  const workload = target.kind === 'baseline' ? (workloads[0] as Workload) : options.workload;

  const pids = {
    server: server.pid,
    redis: stores.redis.pid,
    postgres: stores.postgres.pid,
  };
  const cpuNs = { server: 0, redis: 0, postgres: 0 };
  const names = Object.keys(cpuNs) as (keyof typeof cpuNs)[];

  const { answered, refused, seconds, p50Ms, p99Ms } = await offerLoad({
    origins: [server.origin],
    connections,
    calls: (connection) => workload.calls(data, connection),
    refusal: workload.refusal,
    warmUp,
    measureMs,
    onMeasure(moment) {
      const sign = moment === 'begin' ? -1 : 1;
      for (const name of names) cpuNs[name] += sign * cpuTimeNs(pids[name]);
    },
  });

  if (refused > 0)
    throw new Error(
      `The server ${target.name} refused ${refused} requests with 503. Use fewer connections.`,
    );
  const perRequest = (name: keyof typeof cpuNs) => cpuNs[name] / 1_000 / answered;
  return {
    requestsPerSecond: answered / seconds,
    p50Ms,
    p99Ms,
    cpuUs: {
      server: perRequest('server'),
      redis: perRequest('redis'),
      postgres: perRequest('postgres'),
    },
    residentMb: residentBytes(server.pid) / 2 ** 20,
  };
}
