import { planNames } from '@animal-store/contract';
import { keySorts } from '@animal-store/contract/admin';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealCursor } from '../../src/http/sealed-cursor.ts';
import { useAdmin } from '../support/admin.ts';

const id = '00000000-0000-4000-8000-000000000000';

/** A cursor with the checksum of a list, as anybody can compute it. */
function forge(path: string, position: string): string {
  const [name = '', query = ''] = path.split('?');
  const cursor = sealCursor(position, `${name} ${query} `);
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
}

/** A position of each list that may be one of its own. */
const possible: readonly (readonly [path: string, position: string])[] = [
  ['/keys', `${id} 1795219200000000`],
  ['/keys?state=expired', `${id} -1`],
  ['/keys?sort=-created', `${id} 9007199254740991`],
  ['/keys?sort=name', `${id} `],
  ['/keys?sort=name', `${id} two words\n\u{10FFFF}`],
  ['/keys?name=a', `${id} a`],
  ['/keys?sort=-plan', `${id} pro 1795219200000000`],
  ['/keys?unusedForDays=9', `${id} 0`],
  ['/audit', '1 1795219200000000'],
];

/** Positions that no list gives. */
const impossible: readonly (readonly [path: string, position: string])[] = [
  ['/keys', 'no-uuid 1'],
  ['/keys', '1 1'],
  ['/keys', `${id.slice(1)} 1`],
  ['/keys', `${id} `],
  ['/keys', `${id} 1.5`],
  ['/keys', `${id} NaN`],
  ['/keys', `${id} 1e300`],
  ['/keys', `${id} 9007199254740992`],
  ['/keys', `${id} 99999999999999999999`],
  ['/keys', `${id} \0`],
  ['/keys', `\0 1`],
  ['/keys?sort=name', `${id} a\0b`],
  ['/keys?sort=name', `no-uuid a`],
  ['/keys?sort=plan', `${id} gold 1`],
  ['/keys?sort=plan', `${id} pro`],
  ['/keys?sort=plan', `${id} pro 1e300`],
  ['/keys?sort=plan', `${id} pro 1 1`],
  ['/audit', `${id} 1`],
  ['/audit', '9223372036854775808 1'],
  ['/audit', '1 \0'],
  ['/audit', '1 99999999999999999999'],
];

const parts = fc.oneof(
  fc.constantFrom(
    id,
    id.toUpperCase(),
    '{}',
    '',
    '\0',
    '-',
    '1e400',
    'infinity',
    "'",
    '\u{10FFFF}',
  ),
  fc.constantFrom(...planNames),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.string({ maxLength: 5, unit: 'binary' }),
);
const positions = fc.array(parts, { maxLength: 4 }).map((all) => all.join(' '));
const lists = fc.constantFrom(
  '/keys',
  '/keys?plan=pro',
  '/keys?state=expired',
  '/keys?name=a',
  '/keys?deprecatedWithinDays=9',
  ...keySorts.map((sort) => `/keys?sort=${sort}`),
  '/audit',
  '/audit?action=key.created',
);

describe('a forged cursor', () => {
  const { admin } = useAdmin();

  const refusal = {
    status: 400,
    body: {
      code: 'invalid_request',
      message: 'cursor: expected one that a Link header gave',
      status: 400,
    },
  };

  test.each(possible)('of %s that may be its own is answered: %j', async (path, position) => {
    expect(await admin.call(forge(path, position))).toMatchObject({ status: 200 });
  });

  test.each(impossible)('of %s is refused, not a failure: %j', async (path, position) => {
    expect(await admin.call(forge(path, position))).toMatchObject(refusal);
  });

  test('never causes a failure', async () => {
    await fc.assert(
      fc.asyncProperty(lists, positions, async (path, position) => {
        const answer = await admin.call(forge(path, position));
        if (answer.status !== 200) expect(answer).toMatchObject(refusal);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});
