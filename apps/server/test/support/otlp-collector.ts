import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as OTLP's JSON has it, with its attributes as plain values. */
interface CollectedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** When it began and ended: Unix time in nanoseconds. */
  readonly lifetime: readonly [begin: bigint, end: bigint];
}

/** Takes spans by OTLP over HTTP, in JSON, as a real collector does. */
export type OtlpCollector = AsyncDisposable & {
  readonly url: string;
  spans(): CollectedSpan[];
  /** What all spans say of where they are from. */
  resource(): Readonly<Record<string, unknown>>;
  /** Every byte that was received. */
  received(): string;
};

type Attributes = readonly { key: string; value: Record<string, unknown> }[];

export async function openOtlpCollector(): Promise<OtlpCollector> {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    const isTraces = req.method === 'POST' && req.url === '/v1/traces';
    if (isTraces) bodies.push(await text(req));
    res.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resources = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      resources()
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(({ name, kind, traceId, spanId, parentSpanId, ...span }) => ({
          ...{ name, kind, traceId, spanId, parentSpanId },
          attributes: plain(span.attributes),
          isError: span.status.code === 2,
          lifetime: [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)],
        })),
    resource: () => plain(resources()[0]?.resource.attributes ?? []),
    received: () => bodies.join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
