import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Attributes = readonly { key: string; value: Record<string, unknown> }[];

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/**
 * Opens a fake trace collector that receives spans by OTLP over HTTP, as JSON.
 *
 * @param statusOf a function that returns the status of the next response. Spans are accepted only
 * with 200.
 * @param responseBody the body of each response.
 */
export async function openOtlpCollector(statusOf = () => 200, responseBody = '{}') {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    const isTraces = req.method === 'POST' && req.url === '/v1/traces';
    const body = await text(req);
    const status = isTraces ? statusOf() : 404;
    if (status === 200) bodies.push(body);
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(responseBody);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resources = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /**
     * Returns the received spans in the order of their start. Concurrent batches arrive in any
     * order.
     */
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
          /** The start of the span as the Unix time in nanoseconds. */
          beganAt: BigInt(span.startTimeUnixNano),
          endedAt: BigInt(span.endTimeUnixNano),
        }))
        .sort((a, b) => Number(a.beganAt - b.beganAt)),
    /** Returns the attributes of the resource that all spans share. */
    resource: () => plain(resources()[0]?.resource.attributes ?? []),
    /** Returns the bodies of all requests as one text. */
    received: () => bodies.join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
