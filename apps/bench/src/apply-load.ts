import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { httpRequestOf } from './http-request.ts';
import { type Call, expectationOf, type Workload } from './workloads.ts';

export type LoadOptions = {
  readonly origin: string;
  readonly connections: number;
  readonly calls: (connection: number) => readonly Call[];
  readonly refusal: Workload['refusal'];
  /** Both must be over before the measured time begins, or {@link maxWarmUpMs}. */
  readonly warmUp: { readonly milliseconds: number; readonly requests: number };
  readonly measureMs: number;
  /** Called at the beginning and at the end of the measured time. */
  readonly onMeasure: (moment: 'begin' | 'end') => void;
};

export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** On a machine so slow that this is not enough, nothing else would be either. */
const maxWarmUpMs = 20_000;

/** One response in so many has its body and headers checked; every response its status. */
const verifyOneIn = 8;

/**
 * Lets each connection send its calls again and again, the next one when the last one is answered.
 *
 * @throws {Error} at the first wrong response.
 */
export async function applyLoad(options: LoadOptions): Promise<LoadResult> {
  const { origin, connections, measureMs } = options;
  const latency = createHistogram();
  let requests = 0;
  let warmUpRequests = 0;
  const warm = Promise.withResolvers<void>();
  let isMeasuring = false;
  const failure = Promise.withResolvers<never>();
  // It may fail while nobody waits for it yet.
  failure.promise.catch(() => {});

  let connection = 0;
  const ended = Promise.withResolvers<void>();
  const instance = autocannon(
    {
      url: origin,
      connections,
      // Ended by `stop` below; this only ends a hang.
      duration: 600,
      sampleInt: 50,
      setupClient(client) {
        client.setRequests(
          requestsOf(options, connection++, (error) => {
            // What warms up may be answered otherwise, such as before a quota is used up.
            if (isMeasuring) failure.reject(error);
          }),
        );
      },
    },
    () => ended.resolve(),
  );
  const expectedStatuses = statusesOf(options);
  instance.on('response', (_client, status, _bytes, responseTimeMs) => {
    if (!isMeasuring) {
      warmUpRequests += 1;
      if (warmUpRequests >= options.warmUp.requests) warm.resolve();
      return;
    }
    if (!expectedStatuses.has(status))
      failure.reject(new Error(`A response had status ${status}.`));
    requests += 1;
    latency.record(Math.max(1, Math.round(responseTimeMs * 1_000)));
  });
  instance.on('reqError', (error) => failure.reject(error));

  try {
    const enough = Promise.race([warm.promise, sleep(maxWarmUpMs)]);
    const warmUp = Promise.all([sleep(options.warmUp.milliseconds), enough]);
    await Promise.race([warmUp, failure.promise]);
    options.onMeasure('begin');
    const begin = performance.now();
    isMeasuring = true;
    await Promise.race([sleep(measureMs), failure.promise]);
    isMeasuring = false;
    const seconds = (performance.now() - begin) / 1_000;
    options.onMeasure('end');
    if (requests === 0) throw new Error(`No response in ${seconds} s.`);
    return {
      requests,
      seconds,
      p50Ms: latency.percentile(50) / 1_000,
      p99Ms: latency.percentile(99) / 1_000,
    };
  } finally {
    instance.stop();
    await ended.promise;
  }
}

function statusesOf({ refusal }: LoadOptions): Set<number> {
  return new Set(refusal === undefined ? [200, 201] : [refusal.status]);
}

function requestsOf(
  { calls, refusal }: LoadOptions,
  connection: number,
  onWrong: (error: Error) => void,
): autocannon.Request[] {
  const own = calls(connection);
  // A single call is repeated, so that only some of its responses are verified.
  const repeated = own.length === 1 ? Array<Call>(verifyOneIn).fill(own[0] as Call) : own;
  return repeated.map((call, index) => {
    const request = { ...httpRequestOf(call) };
    if (index % verifyOneIn !== verifyOneIn - 1) return request;
    const expected = expectationOf(call, refusal);
    return {
      ...request,
      onResponse(status, body) {
        if (status === expected.status && expected.body(JSON.parse(body))) return;
        onWrong(new Error(`${request.method} ${request.path}: wrong answer ${status} ${body}`));
      },
    };
  });
}
