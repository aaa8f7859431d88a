import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Attributes = readonly { key: string; value: Record<string, unknown> }[];

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/**
 * Takes spans by OTLP over HTTP, in JSON, as a real collector does.
 *
 * @param statusOf gives the status of the next answer. Spans are taken only with 200.
 */
export async function openOtlpCollector(statusOf = () => 200) {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    const isTraces = req.method === 'POST' && req.url === '/v1/traces';
    const body = await text(req);
    const status = isTraces ? statusOf() : 404;
    if (status === 200) bodies.push(body);
    res.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resources = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** In the order of their beginnings: batches that are sent at once arrive in any. */
    spans: () =>
      resources()
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({
          name: span.name as string,
          kind: span.kind as number,
          traceId: span.traceId as string,
          spanId: span.spanId as string,
          parentSpanId: span.parentSpanId as string | undefined,
          attributes: plain(span.attributes),
          isError: span.status.code === 2,
          /** When it began: Unix time in nanoseconds. */
          beganAt: BigInt(span.startTimeUnixNano),
          endedAt: BigInt(span.endTimeUnixNano),
        }))
        .sort((a, b) => Number(a.beganAt - b.beganAt)),
    /** What all spans say of where they are from. */
    resource: () => plain(resources()[0]?.resource.attributes ?? []),
    /** Every byte that was received. */
    received: () => bodies.join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
