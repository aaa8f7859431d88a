import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, onFreePort } from './free-port.ts';

test('a free port can be used', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('a port that was taken in the meantime is replaced by another', async () => {
  const ports: number[] = [];
  const start = async (port: number) => {
    ports.push(port);
    if (ports.length === 1) throw new Error('could not bind: Address already in use');
    return port;
  };
  expect(await onFreePort(start)).toBe(ports[1]);
  expect(ports).toHaveLength(2);
});

test('any other failure is not tried again', async () => {
  let attempts = 0;
  const start = async () => {
    attempts += 1;
    throw new Error('no such file');
  };
  await expect(onFreePort(start)).rejects.toThrow('no such file');
  expect(attempts).toBe(1);
});
