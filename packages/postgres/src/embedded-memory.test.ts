import { expect, test } from 'vitest';
import { describeLittleMemory } from './embedded-memory.ts';

// Regression: the kernel killed the process, and no line of the log said why.
test.each([
  [
    'firstStart',
    536_870_912,
    '536 MB of memory, but the embedded database needs 640 MB at its first start',
  ],
  [
    'laterStart',
    134_217_728,
    '134 MB of memory, but the embedded database needs 256 MB at its start',
  ],
] as const)(
  'describeLittleMemory warns of a limit that is too low for a %s: %d bytes',
  (start, limit, part) => {
    expect(describeLittleMemory(start, limit)).toBe(
      `This process may use ${part}. If the process is killed, raise the memory limit, or set DATABASE_URL to use Postgres`,
    );
  },
);

test.each([
  ['firstStart', 640_000_000],
  ['laterStart', 256_000_000],
  ['firstStart', 0],
  ['firstStart', 2 ** 64],
] as const)(
  'describeLittleMemory does not warn of a %s with a limit of %d bytes',
  (start, limit) => {
    expect(describeLittleMemory(start, limit)).toBeUndefined();
  },
);
