import { expect, test } from 'vitest';
import { logOf } from '../support/observed.ts';
import { useSharedService } from '../support/shared-service.ts';
import { closeOf, openConnection } from './connection.ts';

const repetitions = 150;
const listeners = ['public', 'ops'] as const;

const { service } = useSharedService();

const originOf = (listener: (typeof listeners)[number]) =>
  listener === 'public' ? service.server.origin : service.server.opsUrl;

/** The process that was attacked still answers, and has logged nothing fatal. */
async function expectUnharmed(): Promise<void> {
  expect((await service.call('/pets')).status).toBe(200);
  expect((await fetch(`${service.server.opsUrl}/livez`)).status).toBe(200);
  expect(logOf(service.server).filter(({ level }) => level === 'fatal')).toEqual([]);
}

test.each(listeners)(
  'CONNECT in the segment of another request closes the connection (%s listener)',
  async (listener) => {
    for (let i = 0; i < repetitions; i += 1) {
      const socket = await openConnection(originOf(listener));
      const closed = closeOf(socket);
      socket.resume();
      socket.write(
        'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
      );
      await closed;
    }
    await expectUnharmed();
  },
);

test.each(listeners)('a reset right after CONNECT harms nobody (%s listener)', async (listener) => {
  for (let i = 0; i < repetitions; i += 1) {
    const socket = await openConnection(originOf(listener));
    const closed = closeOf(socket);
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy());
    await closed;
  }
  await expectUnharmed();
});
