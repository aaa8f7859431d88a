import type { Socket } from 'node:net';
import { until } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { sample, scrape } from '../support/observed.ts';
import { startService, useService } from '../support/test-service.ts';
import { closeOf, openConnection, readUntilClosed, statusesIn } from './connection.ts';

const get = 'GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n';

/** Their responses are more than the buffers between us hold: 100 kB each. */
const unread = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(150);

describe('with five requests a connection at most, and ten in flight', () => {
  const service = useService('postgres', {
    env: { MAX_PIPELINED_REQUESTS: '5', MAX_IN_FLIGHT: '10', ADDRESS_PER_MINUTE: '1000000' },
  });

  test('a connection with too many pending requests is closed', async () => {
    const { origin, opsUrl } = service.server;
    for (const target of [origin, opsUrl]) await readUntilClosed(target, get.repeat(6));
    expect((await service.call('/pets')).status).toBe(200);
  });

  test('a connection with as many pending requests as allowed gets every response', async () => {
    const last = get.replace('Host', 'Connection: close\r\nHost');
    const received = await readUntilClosed(service.server.origin, get.repeat(4) + last);
    expect(statusesIn(received)).toEqual([401, 401, 401, 401, 401]);
  });
});

/** A service that answers so many requests of a connection. */
const start = (env: Readonly<Record<string, string>>) =>
  startService('postgres', {
    clock: systemClock,
    env: { MAX_PIPELINED_REQUESTS: '200', ADDRESS_PER_MINUTE: '1000000', ...env },
  });

async function openUnread(origin: string): Promise<Socket> {
  const socket = await openConnection(origin);
  socket.pause();
  socket.write(unread);
  return socket;
}

test('callers that never read their responses hold no slot of the requests in flight', async () => {
  await using service = await start({ MAX_IN_FLIGHT: '10' });
  const { server } = service;
  const sockets: Socket[] = [];
  while (sockets.length < 4) sockets.push(await openUnread(server.origin));
  const inFlight = async () => sample(await scrape(server), 'animal_store_requests_in_flight');
  await until(async () => (await inFlight()) === 0);
  expect((await service.call('/pets')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

// Regression: after a close without a reset, the kernel kept what such a caller had not read for minutes.
test('a caller that does not read its response is disconnected by a reset', async () => {
  await using service = await start({ STALL_TIMEOUT_MS: '500' });
  const { server } = service;
  const socket = await openUnread(server.origin);
  const errors: (string | undefined)[] = [];
  socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code));
  const closed = closeOf(socket);
  await until(() => server.output().includes('"aborted":true'));
  socket.resume();
  await closed;
  expect(errors).toEqual(['ECONNRESET']);
});
