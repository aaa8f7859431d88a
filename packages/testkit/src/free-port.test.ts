import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, onFreePort, reservePort } from './free-port.ts';

test('a free port can be used', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('a free port is none that the system gives to connections, not even while nobody listens there', async () => {
  expect(await freePort()).toBeLessThan(32_768);
});

test('a port is found once', async () => {
  expect(await reservePort(await freePort())).toBe(false);
});

test('a port where somebody listens is not found', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await reservePort((server.address() as AddressInfo).port)).toBe(false);
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
