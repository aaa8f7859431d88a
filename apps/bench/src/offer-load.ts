import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpRequest, httpRequestOf } from './http-request.ts';
import { type Call, expectationOf, type Workload } from './workloads.ts';

export type OfferedLoad = {
  /** The addresses of the servers. The connections are distributed over the addresses in turn. */
  readonly origins: readonly string[];
  readonly connections: number;
  /**
   * The number of requests per second.
   * @default each connection sends its next request as soon as it receives a response
   */
  readonly perSecond?: number | undefined;
  /** Returns the requests that a connection sends in a loop. */
  readonly calls: (connection: number) => readonly Call[];
  readonly refusal: Workload['refusal'];
  /**
   * The warm-up ends as soon as this time has passed and this number of responses has arrived. It
   * ends after {@link maxWarmUpMs} at the latest.
   */
  readonly warmUp: { readonly milliseconds: number; readonly requests: number };
  readonly measureMs: number;
  /** Called twice: at the beginning and at the end of the measured period. */
  readonly onMeasure: (moment: 'begin' | 'end') => void;
};

export type OfferedResult = {
  readonly seconds: number;
  readonly answered: number;
  /** The number of responses with the status 503. */
  readonly refused: number;
  /**
   * The median and the 99th percentile (`p99Ms`) of the time until a successful response, in
   * milliseconds.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/**
 * How long the warm-up waits for its number of requests, in milliseconds. On a very slow machine,
 * the measurement then starts after fewer requests.
 */
const maxWarmUpMs = 20_000;

/**
 * The body of every eighth response is compared with the expected body. The status is compared for
 * every response.
 */
const verifyOneIn = 8;

const endOfHead = Buffer.from('\r\n\r\n');
const tickMs = 2;

/**
 * Sends requests and measures the responses. Without a rate, each connection sends its next request
 * after a response. With a rate, requests are sent on time even if responses are late, like callers
 * that do not back off. If all connections are waiting, a due request is skipped.
 *
 * The benchmark does not use autocannon, because autocannon needs three times as much CPU time, and
 * sends fewer requests when the service is slow.
 *
 * @throws {Error} if a measured response is wrong, if every measured response is a 503, or if a
 *   connection fails or is closed. A 503 never counts as a wrong response.
 */
export async function offerLoad(options: OfferedLoad): Promise<OfferedResult> {
  const { origins, connections, perSecond, refusal, warmUp, measureMs } = options;
  const failure = Promise.withResolvers<never>();
  // Without this handler, a failure before the `await` below would end the process as an unhandled
  // rejection.
  failure.promise.catch(() => {});
  const warm = Promise.withResolvers<void>();
  const idle: (() => void)[] = [];
  const sockets: Socket[] = [];
  const latency = createHistogram();
  let warmUpResponses = 0;
  let answered = 0;
  let refused = 0;
  let isMeasuring = false;

  function recordResponse(status: number, sentAt: number, faultOf: () => string | undefined): void {
    // Responses during the warm-up are not checked, because some workloads expect responses that
    // only come later. For example, a quota must first be used up before the service denies
    // requests.
    if (!isMeasuring) {
      warmUpResponses += 1;
      if (warmUpResponses >= warmUp.requests) warm.resolve();
    } else if (status === 503) refused += 1;
    else {
      const fault = faultOf();
      if (fault !== undefined) failure.reject(new Error(fault));
      answered += 1;
      latency.record(Math.max(1, Math.round((performance.now() - sentAt) * 1_000)));
    }
  }

  function open(connection: number): Promise<void> {
    const server = new URL(origins[connection % origins.length] as string);
    const exchanges = options.calls(connection).map((call) => ({
      text: textOf(httpRequestOf(call), server.host),
      expected: expectationOf(call, refusal),
    }));
    const socket = connect({ host: server.hostname, port: Number(server.port), noDelay: true });
    sockets.push(socket);
    let sent = 0;
    let sentAt = 0;
    let received: Buffer = Buffer.alloc(0);
    const exchangeAt = (n: number) => exchanges[n % exchanges.length] as (typeof exchanges)[number];
    const sendNext = () => {
      sentAt = performance.now();
      socket.write(exchangeAt(sent).text);
      sent += 1;
    };
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const parts = partsOf(received);
      if (parts === undefined) return;
      const { status, body } = parts;
      const { expected } = exchangeAt(sent - 1);
      recordResponse(status, sentAt, () => {
        if (status !== expected.status)
          return `Unexpected response: status ${status}, expected ${expected.status}.`;
        if (sent % verifyOneIn !== 0 || expected.body(JSON.parse(body.toString()))) return;
        return `Unexpected response: the body of status ${status} is wrong: ${body}`;
      });
      received = Buffer.alloc(0);
      if (perSecond === undefined) sendNext();
      else idle.push(sendNext);
    });
    socket.on('error', failure.reject);
    socket.on('close', () =>
      failure.reject(
        new Error(
          'The server closed a connection during the benchmark. Read its log to find the reason.',
        ),
      ),
    );
    return new Promise((resolve) => {
      socket.on('connect', () => {
        idle.push(sendNext);
        resolve();
      });
    });
  }

  let ticking: NodeJS.Timeout | undefined;
  try {
    for (let from = 0; from < connections; from += 100) {
      const count = Math.min(100, connections - from);
      await Promise.race([
        Promise.all(Array.from({ length: count }, (_, index) => open(from + index))),
        failure.promise,
      ]);
    }
    // Requests at a rate are sent only after all connections are open. Under load, the service
    // accepts connections too slowly, and the kernel would reset some of them.
    if (perSecond === undefined) {
      for (const sendNext of idle.splice(0)) sendNext();
    } else {
      let lastAt = performance.now();
      let due = 0;
      ticking = setInterval(() => {
        const now = performance.now();
        due += ((now - lastAt) / 1_000) * perSecond;
        lastAt = now;
        for (; due >= 1; due -= 1) idle.shift()?.();
      }, tickMs);
    }
    const warmUpDone = Promise.race([warm.promise, sleep(maxWarmUpMs)]);
    await Promise.race([Promise.all([sleep(warmUp.milliseconds), warmUpDone]), failure.promise]);
    options.onMeasure('begin');
    const begin = performance.now();
    isMeasuring = true;
    await Promise.race([sleep(measureMs), failure.promise]);
    isMeasuring = false;
    const seconds = (performance.now() - begin) / 1_000;
    options.onMeasure('end');
    if (answered === 0)
      throw new Error(
        `The server sent no response, except 503, in ${seconds} s. Read its log to find the reason.`,
      );
    return {
      seconds,
      answered,
      refused,
      p50Ms: latency.percentile(50) / 1_000,
      p99Ms: latency.percentile(99) / 1_000,
    };
  } finally {
    clearInterval(ticking);
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
}

function textOf({ method, path, headers, body = '' }: HttpRequest, host: string): Buffer {
  const all = { Host: host, 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Parses the first response in the received bytes; `undefined` if it is incomplete. */
function partsOf(received: Buffer): { status: number; body: Buffer } | undefined {
  const end = received.indexOf(endOfHead);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const start = end + endOfHead.length;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (received.length < start + length) return undefined;
  return { status: Number(head.slice(9, 12)), body: received.subarray(start, start + length) };
}
