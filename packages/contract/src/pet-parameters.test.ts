import { expect, test } from 'vitest';
import { ListPetsQuery, PetPath } from './pet-parameters.ts';

const faults = (query: object) =>
  ListPetsQuery.safeParse(query).error?.issues.map(({ path, message }) => `${path}: ${message}`);

test.each([
  [{}, {}],
  [{ limit: '1' }, { limit: 1 }],
  [{ limit: 100 }, { limit: 100 }],
  [{ categoryId: '9007199254740993' }, { categoryId: 9007199254740993n }],
  [
    { status: 'sold', cursor: 'abc', unknown: 'x' },
    { status: 'sold', cursor: 'abc' },
  ],
  [{ ids: ['5', '11,-7,9007199254740993'] }, { ids: [5, 11, -7, 9007199254740993n] }],
  [{ ids: Array(100).fill('1').join() }, { ids: Array(100).fill(1) }],
])('ListPetsQuery accepts the query %j', (query, expected) => {
  expect(ListPetsQuery.parse(query)).toEqual(expected);
});

const limit = 'limit: expected one integer from 1 to 100';
const ids = 'ids: expected 1 to 100 64-bit integers, as in ids=5,11 or ids=5&ids=11';
const status = 'status: expected one of available, pending, sold';

test.each([
  [
    limit,
    ['', '0', '-1', '101', '1000', '05', '5\n', '+5', '5.0', '٥', 'x', ['5', '6'], 5.5, null],
  ],
  [ids, ['', '1,', '1,,2', ' 1', '1.0', '-0', 'x', [1], 1, null, [], ['1', '']]],
  [ids, ['1,'.repeat(200), Array(101).fill('1'), ['1', `1${',1'.repeat(99)}`]]],
  [status, ['', 'lost', 'SOLD', ['sold', 'sold'], { x: 'sold' }]],
  ['cursor: expected one cursor from a Link header', [['a', 'b']]],
  ['categoryId: expected a 64-bit integer', ['', '01', ['1', '2'], 1.5]],
])('ListPetsQuery refuses invalid values with the message "%s"', (message, values) => {
  const [name = ''] = message.split(':');
  for (const value of values) expect(faults({ [name]: value }), String(value)).toEqual([message]);
});

test('ListPetsQuery refuses ids together with a cursor or a limit, even when the limit equals the default of 20', () => {
  expect(faults({ ids: '1', limit: '20', cursor: 'abc' })).toEqual([
    'limit: expected no value together with ids',
    'cursor: expected no value together with ids',
  ]);
});

test('ListPetsQuery encodes parsed ids as the same text that it has parsed', () => {
  const query = { ids: '-9223372036854775808,5,9223372036854775807' };
  expect(ListPetsQuery.encode(ListPetsQuery.parse(query))).toEqual(query);
});

// `int64.test.ts` tests all valid and invalid forms of a 64-bit integer.
test.each([
  ['-9223372036854775808', -(2n ** 63n)],
  [2n ** 53n + 1n, 2n ** 53n + 1n],
  ['9223372036854775808', undefined],
  [['1', '2'], undefined],
  [2 ** 60, undefined],
])('PetPath reads the petId %s as %s', (petId, expected) => {
  const { data, error } = PetPath.safeParse({ petId });
  expect(data?.petId).toBe(expected);
  expect(error?.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual(
    expected === undefined ? ['petId: expected a 64-bit integer'] : undefined,
  );
});
