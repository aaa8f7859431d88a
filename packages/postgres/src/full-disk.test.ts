import { expect, test } from 'vitest';
import { describeFullDisk } from './full-disk.ts';

const disk = (bavail: number) => () => ({ bavail, bsize: 4_096 });

// Regression: the message said that the directory contained no database, or `Aborted()`.
test.each([
  ['no free space', 0, '0'],
  ['less free space than one file of the log needs', 4_000, '16'],
])('describeFullDisk says that the disk is full when it has %s', (_, blocks, megabytes) => {
  expect(describeFullDisk('/data', disk(blocks))).toBe(
    `its disk is full (${megabytes} MB are free). Free at least 64 MB, and start the service again`,
  );
});

test('describeFullDisk returns undefined when the disk has free space, or when the directory does not exist', () => {
  expect(describeFullDisk('/data', disk(10_000))).toBeUndefined();
  expect(describeFullDisk('/nosuch/directory')).toBeUndefined();
});
