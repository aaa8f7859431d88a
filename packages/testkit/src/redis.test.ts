import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { openRedis, openRedisNode } from './redis.ts';

test('a Redis is private, empty and keeps nothing on disk', async () => {
  await using redis = await openRedis();
  await using other = await openRedis();
  await redis.command('set', 'animal', 'Rex');

  expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
  expect(await redis.command('get', 'animal')).toBe('Rex');
  expect(await other.command('dbsize')).toBe('0');
  expect(await redis.command('config', 'get', 'save')).toBe('save');
  expect(await redis.command('config', 'get', 'appendonly')).toBe('appendonly\nno');
});

test('a Redis takes arguments', async () => {
  await using redis = await openRedis({ args: ['--maxmemory', '10mb'] });
  expect(await redis.command('config', 'get', 'maxmemory')).toBe('maxmemory\n10485760');
});

test('a Redis that cannot start is an error with its output', async () => {
  await expect(openRedis({ args: ['--no-such-option', 'x'] })).rejects.toThrow('no-such-option');
});

test('a Redis whose port was taken meanwhile starts on another', async () => {
  await using other = await openRedis();
  const ports = [other.port, await freePort()];
  const findPort = async () => ports.shift() ?? 0;
  await using redis = await openRedisNode({ args: [], findPort });
  expect(await redis.command('ping')).toBe('PONG');
  expect(redis.port).not.toBe(other.port);
});

test('an error reply is an Error', async () => {
  await using redis = await openRedis();
  await expect(redis.command('no-such-command')).rejects.toThrow('unknown command');
});

test('a command hangs while Redis is paused and goes through afterwards', async () => {
  await using redis = await openRedis();
  await using other = await openRedis();
  const events: string[] = [];

  redis.pause();
  const command = redis.command('ping').then(() => events.push('answered'));
  // Time enough to answer, measured by what is not paused.
  for (let round = 0; round < 5; round++) await other.command('ping');
  events.push('resumed');
  redis.resume();
  await command;

  expect(events).toEqual(['resumed', 'answered']);
});

test('a killed Redis refuses connections until it restarts, empty, at the same address', async () => {
  await using redis = await openRedis();
  await redis.command('set', 'animal', 'Rex');

  await redis.kill();
  await expect(redis.command('ping')).rejects.toThrow('Connection refused');
  await redis.restart();

  expect(await redis.command('dbsize')).toBe('0');
});
