import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxPetId, NewPet, Pet, Pets } from './pet.ts';

const mia = { name: 'Mia', categoryId: 3 };
const faults = (pet: unknown) =>
  NewPet.safeParse(pet).error?.issues.map(({ path, message }) => `${path}: ${message}`);

test.each([
  ['one character', 'M'],
  ['255 characters beyond U+FFFF', '🐈'.repeat(255)],
  ['an emoji of three joined emoji', '👨‍👩‍👧'],
  ['Hebrew next to English, with a direction mark', '  חתול (Cat) 3\u200f!'],
  ['Persian with a zero-width non-joiner', 'نمی\u200cدانم'],
  ['Japanese with a variation selector', '葛\u{e0100}'],
  ['Mongolian with variation selectors', 'ᠮᠣᠩᠭᠣᠯ\u180e\u180b'],
])('NewPet accepts a name that is %s', (_what, name) => {
  expect(NewPet.parse({ ...mia, name }).name).toBe(name);
});

const blank = 'expected at least one visible character';
const invisible =
  'expected no invisible characters, such as zero-width spaces or characters that change the text direction';
const invalid = 'expected 1 to 255 characters, without control characters and lone surrogates';

test.each([
  ['an empty string', '', invalid],
  ['256 characters', '🐈'.repeat(256), invalid],
  ['a token in a text that is too long', `${'0'.repeat(30)}2C8GjS `.repeat(400), invalid],
  ['text with a line break at its end', 'a\n', invalid],
  ['an array', ['Mia'], invalid],
  ['several kinds of spaces', ' \u00a0\u2003\u3000', blank],
  ['only joiners and direction marks', '\u200d\u200e\u061c', blank],
  ['the empty Braille pattern', '\u2800', blank],
  ['text with a direction override', 'Mia\u202egnp.ecaf', invisible],
  ['text with a line separator', 'Mia\u2028', invisible],
  ['text with an annotation character', 'Mia\ufff9', invisible],
  [
    'a token without its prefix',
    'Mia 0000000000000000000000000000002C8GjS',
    'expected no token, because everybody who sees this text could use the token',
  ],
])('NewPet refuses a name that is %s', (_what, name, message) => {
  expect(faults({ ...mia, name })).toEqual([`name: ${message}`]);
});

test('NewPet accepts all names of 1 to 255 code points that Postgres can store, and refuses all other names', () => {
  // The test does not use fast-check's option `unit: 'binary'`, which also generates all code
  // points, because its preparation takes 1.6 s.
  const codes = [
    { weight: 200, arbitrary: fc.nat(0x10ffff) },
    { weight: 1, arbitrary: fc.nat(0x9f) },
  ];
  const unit = fc.oneof(...codes).map((code) => String.fromCodePoint(code));
  const property = fc.property(fc.string({ unit, maxLength: 300 }), (name) => {
    const isStorable = name.isWellFormed() && !/\p{Cc}/u.test(name);
    const { length } = [...name];
    const isValid = isStorable && length >= 1 && length <= 255;
    expect(!faults({ ...mia, name })?.includes(`name: ${invalid}`)).toBe(isValid);
  });
  fc.assert(property, { seed: 1, numRuns: 100 });
});

test('NewPet accepts every 64-bit integer as categoryId, and refuses all other values', () => {
  for (const categoryId of [0, -1, 2 ** 53 - 1, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])
    expect(NewPet.parse({ ...mia, categoryId }).categoryId).toBe(categoryId);
  const others = [2 ** 53, 1.5, 2n ** 63n, -(2n ** 63n) - 1n, '7', null, [1], undefined];
  for (const categoryId of others)
    expect(faults({ ...mia, categoryId })).toEqual(['categoryId: expected a 64-bit integer']);
});

test('NewPet accepts a missing status and the three known statuses, and refuses all other values', () => {
  for (const status of ['available', 'pending', 'sold', undefined])
    expect(NewPet.parse({ ...mia, status })).toEqual({ ...mia, status });
  for (const status of ['', 'Available', ' sold', '__proto__', null, ['sold']])
    expect(faults({ ...mia, status })).toEqual([
      'status: expected one of available, pending, sold',
    ]);
});

test('NewPet removes an id and all unknown properties', () => {
  const body = JSON.parse('{"name":"Mia","categoryId":3,"id":9,"x":1,"__proto__":{"y":1}}');
  const parsed = NewPet.parse(body);
  expect(Object.keys(parsed).sort()).toEqual(['categoryId', 'name']);
  expect(parsed).not.toHaveProperty('y');
});

test('NewPet reports all invalid properties in one error, and says when the value is not an object', () => {
  expect(faults({ status: 'lost' })).toHaveLength(3);
  for (const body of [null, [], undefined])
    expect(faults(body)).toEqual([': expected a JSON object with name and categoryId']);
});

test('Pet accepts a name that breaks the rules for new names, an unknown status, and unknown properties', () => {
  const pet = { id: maxPetId, ...mia, name: '\u202e ', status: 'reserved' };
  expect(Pets.parse([{ ...pet, chip: 'x1' }])).toEqual([pet]);
  expect(Pet.safeParse({ id: 1, ...mia }).success).toBe(true);
});

test('Pet refuses an id that is not a positive safe integer, and a status that is not a string', () => {
  for (const id of [undefined, 0, 1.5, '1', 1n, 2 ** 53])
    expect(Pet.safeParse({ id, ...mia }).success, String(id)).toBe(false);
  for (const status of [undefined, 7])
    expect(Pet.safeParse({ id: 1, ...mia, status }).success, String(status)).toBe(false);
});
