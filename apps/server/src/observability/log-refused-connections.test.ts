import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { openRefusedConnectionsLog } from './log-refused-connections.ts';

test('the first refused connection of each limit has a line, and the others of a minute have one together', async () => {
  const lines: unknown[] = [];
  const clock = createTestClock();
  const warn = (fields: unknown) => lines.push(fields);
  const log = openRefusedConnectionsLog({ warn }, clock);
  for (let i = 0; i < 1_000; i += 1) log.logRefusal('MAX_CONNECTIONS');
  log.logRefusal('open_files');
  await clock.advance(59_999);
  log.logRefusal('MAX_CONNECTIONS');
  expect(lines.splice(0)).toEqual([
    { limit: 'MAX_CONNECTIONS', connections: 1 },
    { limit: 'open_files', connections: 1 },
  ]);
  await clock.advance(1);
  expect(lines.splice(0)).toEqual([{ limit: 'MAX_CONNECTIONS', connections: 1_000 }]);
  log.logRefusal('MAX_CONNECTIONS');
  log.close();
  expect(lines).toEqual([{ limit: 'MAX_CONNECTIONS', connections: 1 }]);
});
