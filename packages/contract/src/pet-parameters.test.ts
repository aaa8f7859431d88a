import { describe, expect, test } from 'vitest';
import { ListPetsQuery, PetPath } from './pet-parameters.ts';

describe('the query of the list', () => {
  test.each([
    [{}, {}],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '100' }, { limit: 100 }],
    [
      { status: 'sold', cursor: 'abc' },
      { status: 'sold', cursor: 'abc' },
    ],
    [{ unknown: 'x', page: '2' }, {}],
    [
      { ids: '5,11,9007199254740993', status: 'sold' },
      { ids: [5, 11, 9007199254740993n], status: 'sold' },
    ],
    [{ ids: ['5', '11,9007199254740993'] }, { ids: [5, 11, 9007199254740993n] }],
  ])('%j is read', (query, expected) => {
    expect(ListPetsQuery.parse(query)).toEqual(expected);
  });

  test.each([
    '',
    '0',
    '-1',
    '101',
    '999',
    '1000',
    '05',
    ' 5 ',
    '5 ',
    '5\n',
    '+5',
    '5.0',
    '1.5',
    '1e1',
    '0x10',
    '٥',
    'NaN',
    'ten',
    '9'.repeat(8_000),
    ['5', '6'],
    ['5'],
    { gt: '5' },
    5.5,
    101,
    Number.NaN,
    null,
  ])('the limit %j is refused', (limit) => {
    expect(ListPetsQuery.safeParse({ limit }).error?.issues).toMatchObject([
      { path: ['limit'], message: 'expected one integer from 1 to 100' },
    ]);
  });

  test.each(['', 'lost', 'SOLD', ['sold', 'sold'], { x: 'sold' }])(
    'the status %j is refused',
    (status) => {
      expect(ListPetsQuery.safeParse({ status }).error?.issues).toMatchObject([
        { path: ['status'], message: 'expected one of available, pending, sold' },
      ]);
    },
  );

  test('a repeated cursor is refused', () => {
    expect(ListPetsQuery.safeParse({ cursor: ['a', 'b'] }).error?.issues).toMatchObject([
      { path: ['cursor'], message: 'expected one cursor from a Link header' },
    ]);
  });
});

describe('the ids of a list', () => {
  test.each([
    '',
    ',',
    '1,',
    '1,,2',
    ' 1',
    '1;2',
    '1 2',
    '1.0',
    '-0',
    'x',
    [1],
    1,
    null,
    '1,'.repeat(200),
    [],
    ['1', ''],
    ['1', 'x'],
    Array(101).fill('1'),
    ['1', `1${',1'.repeat(99)}`],
  ])('%j are refused', (ids) => {
    expect(ListPetsQuery.safeParse({ ids }).error?.issues).toMatchObject([
      {
        path: ['ids'],
        message: 'expected 1 to 100 64-bit integers, as in ids=5,11 or ids=5&ids=11',
      },
    ]);
  });

  test('are refused beside a limit, also if that is the default', () => {
    expect(ListPetsQuery.safeParse({ ids: '1', limit: '20' }).error?.issues).toMatchObject([
      { path: ['limit'], message: 'expected none beside ids' },
    ]);
  });

  test('are refused beside a cursor', () => {
    expect(ListPetsQuery.safeParse({ ids: '1', cursor: 'abc' }).error?.issues).toMatchObject([
      { path: ['cursor'], message: 'expected none beside ids' },
    ]);
  });

  test('are written as they are read', () => {
    const query = { ids: '-9223372036854775808,5,9223372036854775807' };
    expect(ListPetsQuery.encode(ListPetsQuery.parse(query))).toEqual(query);
  });
});

describe('the petId', () => {
  test.each([
    ['1', 1],
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('%s is read exactly', (petId, expected) => {
    expect(PetPath.parse({ petId })).toEqual({ petId: expected });
  });

  test.each([
    '',
    'abc',
    '1.0',
    '1e1',
    '0x1',
    '01',
    '-0',
    '+1',
    ' 1',
    '1 ',
    '1;2',
    '\u0000',
    '9223372036854775808',
    '-9223372036854775809',
    ['1', '2'],
    1.5,
    2 ** 60,
  ])('%j is refused', (petId) => {
    expect(PetPath.safeParse({ petId }).error?.issues).toMatchObject([
      { path: ['petId'], message: 'expected a 64-bit integer' },
    ]);
  });
});
