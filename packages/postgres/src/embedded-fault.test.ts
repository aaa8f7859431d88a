import { expect, test } from 'vitest';
import { describeEmbeddedFault } from './embedded-fault.ts';

const unlimited = Number.POSITIVE_INFINITY;
const noMemory = new RangeError('WebAssembly.Memory(): could not allocate memory');

// Regression: the message blamed the data directory.
test.each([
  [noMemory, 6_000_000_512, `${noMemory.message}). WebAssembly reserves large ranges of addresses`],
  [new RangeError('Array buffer allocation failed'), unlimited, 'Array buffer allocation failed).'],
  [new Error('Aborted(OOM)'), unlimited, 'Aborted(OOM)). Give the process 640'],
])(
  'describeEmbeddedFault says that there is not enough memory for %s',
  (error, addressBytes, rest) => {
    const context = { hadDatabase: true, postgresError: undefined, addressBytes };
    expect(describeEmbeddedFault(error, context)).toContain(`there is not enough memory (${rest}`);
  },
);

test('describeEmbeddedFault names the limit ulimit -v when it is the likely reason', () => {
  const context = { hadDatabase: false, postgresError: undefined, addressBytes: 6_000_000_512 };
  expect(describeEmbeddedFault(noMemory, context)).toMatch(
    /ulimit -v limits them to 6000 MB\. Run: ulimit -v unlimited$/,
  );
});

test.each([
  ['a new database', new Error('initdb failed'), false, 'initdb failed'],
  [
    'a directory without permission',
    Object.assign(new Error('EACCES: permission denied, open PG_VERSION'), { code: 'EACCES' }),
    true,
    'EACCES: permission denied, open PG_VERSION',
  ],
])('describeEmbeddedFault does not call %s damaged', (_, error, hadDatabase, reason) => {
  expect(describeEmbeddedFault(error, { hadDatabase, postgresError: undefined })).toBe(reason);
});
