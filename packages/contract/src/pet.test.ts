import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameLength } from './name-schema.ts';
import { faultOfNewName } from './new-name.ts';
import { pageLimit } from './page-limit.ts';
import { maxPetId, NewPet, Pet, Pets } from './pet.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

const mia = { name: 'Mia', categoryId: 3 };

function isNewPet(value: unknown): boolean {
  return NewPet.safeParse(value).success;
}

test('the bounds are those of the specification', () => {
  expect(pageLimit).toEqual({ min: 1, max: 100, default: 20 });
  expect(nameLength).toEqual({ min: 1, max: 255 });
  expect(maxPetId).toBe(2 ** 53 - 1);
});

describe('the name', () => {
  test.each([
    ['one character', 'M'],
    ['255 characters', 'a'.repeat(255)],
    ['255 characters beyond the basic plane', '🐈'.repeat(255)],
    ['a family of emoji, joined', '👨‍👩‍👧'],
    ['spaces and marks', '  Ma\u0308nnchen  '],
    ['Arabic', 'قطة صغيرة'],
    ['Hebrew beside English', 'חתול (Cat) 3'],
    ['a mark of the direction', 'חתול\u200f!'],
    ['Persian, with a non-joiner', 'نمی\u200cدانم'],
    ['a heart, with its variant', '❤\ufe0f'],
    ['a Japanese variant', '葛\u{e0100}'],
    ['Mongolian, with its selectors', 'ᠮᠣᠩᠭᠣᠯ\u180e\u180b'],
    ['Hindi, with joiners', 'क्\u200dष'],
    ['text that looks like code', `'; drop table pets; -- <b>\${x}</b>`],
  ])('%s is accepted', (_what, name) => {
    expect(NewPet.parse({ ...mia, name }).name).toBe(name);
  });

  test.each([
    ['nothing', ''],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters beyond the basic plane', '🐈'.repeat(256)],
    ['NUL', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['a last line break', 'a\n'],
    ['a tab', 'a\tb'],
    ['DEL', 'a\u007f'],
    ['a control character of C1', 'a\u0085'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\udc08a'],
    ['surrogates the wrong way round', '\udc08\ud83d'],
    ['a number', 7],
    ['null', null],
    ['an array', ['Mia']],
    ['an object', {}],
  ])('%s is refused', (_what, name) => {
    const result = NewPet.safeParse({ ...mia, name });
    expect(result.error?.issues).toMatchObject([
      {
        path: ['name'],
        message: 'expected 1 to 255 characters, without control characters and lone surrogates',
      },
    ]);
  });

  test.each([
    ['a space', ' '],
    ['several kinds of spaces', ' \u00a0\u2003\u3000'],
    ['nothing but joiners', '\u200d\u200c'],
    ['nothing but marks of the direction', '\u200e\u200f\u061c'],
    ['nothing but a byte order mark', '\ufeff'],
    ['a filler of Hangul', '\u3164'],
    ['the empty pattern of Braille', '\u2800'],
    ['a variation selector', '\ufe0f'],
  ])('%s is refused as blank', (_what, name) => {
    expect(NewPet.safeParse({ ...mia, name }).error?.issues).toMatchObject([
      { path: ['name'], message: 'expected a character that can be seen' },
    ]);
  });

  test.each([
    ['an override of the direction', 'Mia\u202egnp.ecaf'],
    ['an embedding', '\u202bMia\u202c'],
    ['an isolate', '\u2067Mia\u2069'],
    ['a zero-width space', 'Mi\u200ba'],
    ['a word joiner', 'Mi\u2060a'],
    ['an invisible operator', 'Mi\u2064a'],
    ['a byte order mark', '\ufeffMia'],
    ['a soft hyphen', 'Mi\u00ada'],
    ['a filler of Hangul', 'Mia\u3164'],
    ['a tag character', 'Mia\u{e0041}'],
    ['a separator of lines', 'Mia\u2028'],
    ['a separator of paragraphs', 'Mia\u2029'],
    ['an annotation', 'Mia\ufff9'],
  ])('%s is refused as invisible', (_what, name) => {
    expect(NewPet.safeParse({ ...mia, name }).error?.issues).toMatchObject([
      {
        path: ['name'],
        message:
          'expected no invisible characters, such as zero-width spaces or overrides of the direction',
      },
    ]);
  });

  test('with a token, without its scheme, is refused', () => {
    const name = 'Mia 0000000000000000000000000000002C8GjS';
    expect(NewPet.safeParse({ ...mia, name }).error?.issues).toMatchObject([
      { path: ['name'], message: 'expected no token: everybody who sees this could use it' },
    ]);
  });

  test('of an animal that was stored before these rules is read', () => {
    expect(Pet.safeParse({ ...mia, id: 1, name: '\u202e ' }).success).toBe(true);
  });

  test('is accepted exactly if Postgres can store it and it has 1 to 255 code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const characters = [...name];
        const allowed =
          characters.length >= 1 &&
          characters.length <= 255 &&
          name.isWellFormed() &&
          !characters.some((c) => c < ' ' || (c >= '\u007f' && c <= '\u009f')) &&
          faultOfNewName(name) === undefined;
        expect(isNewPet({ ...mia, name })).toBe(allowed);
      }),
    );
  });
});

describe('the categoryId', () => {
  test.each([
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    9007199254740993n,
    9223372036854775807n,
    -9223372036854775808n,
  ])('%s is accepted', (categoryId) => {
    expect(NewPet.parse({ ...mia, categoryId }).categoryId).toBe(categoryId);
  });

  test.each([
    2 ** 53,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    9223372036854775808n,
    -9223372036854775809n,
    '7',
    '',
    null,
    true,
    [1],
    {},
    undefined,
  ])('%s is refused', (categoryId) => {
    const result = NewPet.safeParse({ ...mia, categoryId });
    expect(result.error?.issues.map(({ path }) => path)).toEqual([['categoryId']]);
    expect(result.error?.issues[0]?.message).toBe('expected a 64-bit integer');
  });
});

describe('the status', () => {
  test.each(['available', 'pending', 'sold'])('%s is accepted', (status) => {
    expect(NewPet.parse({ ...mia, status })).toEqual({ ...mia, status });
  });

  test('may be left out', () => {
    expect(NewPet.parse(mia)).toEqual(mia);
  });

  test.each(['', 'Available', ' sold', 'lost', '__proto__', 'toString', 0, null, ['sold']])(
    '%j is refused',
    (status) => {
      expect(NewPet.safeParse({ ...mia, status }).error?.issues).toMatchObject([
        { path: ['status'], message: 'expected one of available, pending, sold' },
      ]);
    },
  );
});

describe('NewPet', () => {
  test('drops an id and every unknown member', () => {
    const body = JSON.parse('{"name":"Mia","categoryId":3,"id":9,"x":1,"__proto__":{"y":1}}');
    const parsed = NewPet.parse(body);
    expect(Object.keys(parsed).sort()).toEqual(['categoryId', 'name']);
    expect(parsed).not.toHaveProperty('y');
  });

  test.each([null, [], 'x', 7, true, undefined])('%j is refused as a whole', (body) => {
    expect(NewPet.safeParse(body).error?.issues).toMatchObject([
      { path: [], message: 'expected a JSON object with name and categoryId' },
    ]);
  });

  test('reports all faults at once', () => {
    expect(
      NewPet.safeParse({ status: 'lost' }).error?.issues.map(({ path }) => path.join('.')),
    ).toEqual(['name', 'categoryId', 'status']);
  });
});

describe('Pet', () => {
  const pet = { id: 1, ...mia, status: 'sold' };

  test('needs an exact id', () => {
    expect(Pet.parse(pet)).toEqual(pet);
    expect(Pet.safeParse({ ...pet, id: maxPetId }).success).toBe(true);
    for (const id of [undefined, 0, -1, 1.5, '1', 1n, 2 ** 53]) {
      expect(Pet.safeParse({ ...pet, id }).success, String(id)).toBe(false);
    }
  });

  test('has a status or has none, but never an undefined one', () => {
    expect(Pet.safeParse({ id: 1, ...mia }).success).toBe(true);
    expect(Pet.safeParse({ id: 1, ...mia, status: undefined }).success).toBe(false);
  });

  test('may have a status and members that are added later', () => {
    const later = { ...pet, status: 'reserved' };
    expect(Pet.parse({ ...later, chip: 'x1' })).toEqual(later);
    expect(Pets.parse([later])).toEqual([later]);
    expect(Pet.safeParse({ ...pet, status: 7 }).success).toBe(false);
  });

  test('comes in a bare array', () => {
    expect(Pets.parse([])).toEqual([]);
    expect(Pets.parse([pet])).toEqual([pet]);
    expect(Pets.safeParse({ pets: [pet] }).success).toBe(false);
  });
});
