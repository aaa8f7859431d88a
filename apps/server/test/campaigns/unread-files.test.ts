import { once } from 'node:events';
import type { Socket } from 'node:net';
import { openConnection } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { sample, scrape } from '../support/observed.ts';
import { startProcess } from '../support/test-service.ts';

const callers = 500;
const mayGrowBytes = 50e6;

// This test is a campaign and not a part of `npm test`, because the kernel needs up to 2 GB of
// memory for its connections.
test.each(['gzip', 'identity'])(
  'the service does not copy the largest file (%s) into memory for each client that does not read the response',
  async (encoding) => {
    await using service = await startProcess('postgres', {
      env: { ADDRESS_PER_MINUTE: '1000000' },
    });
    const { server } = service;
    const residentBytes = async () =>
      sample(await scrape(server), 'process_resident_memory_bytes') ?? Number.NaN;
    const before = await residentBytes();

    const sockets: Socket[] = [];
    for (let i = 0; i < callers; i += 1) {
      const socket = await openConnection(server.origin);
      sockets.push(socket);
      socket.write(`GET /openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
      // The first bytes of the response have arrived. The client reads neither these bytes nor the
      // rest of the response.
      await once(socket, 'readable');
    }
    expect((await residentBytes()) - before).toBeLessThan(mayGrowBytes);
    for (const socket of sockets) socket.destroy();
  },
);
