import { expect, test } from 'vitest';
import { describeFullDisk } from './full-disk.ts';

const disk = (bavail: number) => () => ({ bavail, bsize: 4_096 });

// Regression: the message said that the directory contained no database, or `Aborted()`.
test.each([
  ['no free space', 0, '0'],
  ['less free space than one file of the log needs', 4_000, '16'],
])('a directory on a disk with %s gets a message that says so', (_, blocks, megabytes) => {
  expect(describeFullDisk('/data', disk(blocks))).toBe(
    `its disk is full (${megabytes} MB are free). Free at least 64 MB, and start the service again`,
  );
});

test('a directory on a disk with free space, or one that does not exist, is not reported as full', () => {
  expect(describeFullDisk('/data', disk(10_000))).toBeUndefined();
  expect(describeFullDisk('/nosuch/directory')).toBeUndefined();
});
