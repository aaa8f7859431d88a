import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openRefusedConnectionsLog } from './log-refused-connections.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first refused connection of each limit has a line, and the others of a minute have one together', () => {
  const lines: unknown[] = [];
  const log = openRefusedConnectionsLog({ warn: (fields: unknown) => lines.push(fields) });
  for (let i = 0; i < 1_000; i += 1) log.logRefusal('MAX_CONNECTIONS');
  log.logRefusal('open_files');
  vi.advanceTimersByTime(59_999);
  log.logRefusal('MAX_CONNECTIONS');
  expect(lines.splice(0)).toEqual([
    { limit: 'MAX_CONNECTIONS', connections: 1 },
    { limit: 'open_files', connections: 1 },
  ]);
  vi.advanceTimersByTime(1);
  expect(lines.splice(0)).toEqual([{ limit: 'MAX_CONNECTIONS', connections: 1_000 }]);
  log.logRefusal('MAX_CONNECTIONS');
  log.close();
  expect(lines).toEqual([{ limit: 'MAX_CONNECTIONS', connections: 1 }]);
});
