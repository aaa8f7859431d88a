import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from './http-request.ts';

export type OfferedLoad = {
  readonly origin: string;
  readonly connections: number;
  /** How many requests a second are sent; `Infinity` to send the next one after each response. */
  readonly perSecond: number;
  /** The requests that a connection repeats. */
  readonly requests: (connection: number) => readonly HttpRequest[];
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Called at the beginning and at the end of the measured time. */
  readonly onMeasure: (moment: 'begin' | 'end') => void;
};

export type OfferedResult = {
  readonly seconds: number;
  readonly answered: number;
  /** Answered with 503. */
  readonly refused: number;
  /** Of what was answered, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

const endOfHead = Buffer.from('\r\n\r\n');
const tickMs = 2;

/**
 * Sends requests whether or not the service keeps up, as callers do that do not back off. autocannon
 * needs three times as much processor time, and slows down with the service.
 *
 * A request that is due while every connection waits for a response is not sent.
 *
 * @throws {Error} if a status is neither that of an answer nor 503, or if a connection is closed.
 */
export async function offerLoad(options: OfferedLoad): Promise<OfferedResult> {
  const { origin, connections, perSecond, warmUpMs, measureMs } = options;
  const { hostname, port } = new URL(origin);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const idle: (() => void)[] = [];
  const sockets: Socket[] = [];
  const latency = createHistogram();
  let answered = 0;
  let refused = 0;
  let isMeasuring = false;

  function note(status: number, sentAt: number): void {
    if (status !== 503 && (status < 200 || status > 299)) {
      failure.reject(new Error(`A response had status ${status}.`));
    }
    if (!isMeasuring) return;
    if (status === 503) {
      refused += 1;
      return;
    }
    answered += 1;
    latency.record(Math.max(1, Math.round((performance.now() - sentAt) * 1_000)));
  }

  function open(connection: number): Promise<void> {
    const texts = options.requests(connection).map((request) => textOf(request, origin));
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    sockets.push(socket);
    let next = 0;
    let sentAt = 0;
    let received: Buffer = Buffer.alloc(0);
    const sendNext = () => {
      sentAt = performance.now();
      socket.write(texts[next++ % texts.length] as Buffer);
    };
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = lengthOf(received);
      if (length === undefined || received.length < length) return;
      note(Number(received.toString('latin1', 9, 12)), sentAt);
      received = Buffer.alloc(0);
      if (perSecond === Number.POSITIVE_INFINITY) sendNext();
      else idle.push(sendNext);
    });
    socket.on('error', failure.reject);
    socket.on('close', () => failure.reject(new Error('The service closed a connection.')));
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
      const many = Math.min(100, connections - from);
      await Promise.race([
        Promise.all(Array.from({ length: many }, (_, index) => open(from + index))),
        failure.promise,
      ]);
    }
    // Only now: a busy service accepts connections too slowly, and the kernel resets some.
    if (perSecond === Number.POSITIVE_INFINITY) {
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
    await Promise.race([sleep(warmUpMs), failure.promise]);
    options.onMeasure('begin');
    const begin = performance.now();
    isMeasuring = true;
    await Promise.race([sleep(measureMs), failure.promise]);
    isMeasuring = false;
    const seconds = (performance.now() - begin) / 1_000;
    options.onMeasure('end');
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

function textOf({ method, path, headers, body = '' }: HttpRequest, origin: string): Buffer {
  const all = { Host: new URL(origin).host, 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** The length of the response at the start of what was received; `undefined` if its head is not whole. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf(endOfHead);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  return end + endOfHead.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
}
