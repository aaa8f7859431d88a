import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfNewName } from '../new-name.ts';
import { NewPet } from '../pet.ts';
import { createOpenApi, type JsonObject } from './index.ts';

const { components } = createOpenApi() as {
  components: { schemas: Record<string, { properties: Record<string, JsonObject> }> };
};
const { schemas } = components;

test('the OpenAPI document contains no number that JSON readers round: an int64 has a format, but no minimum and no maximum', () => {
  const numbers: number[] = [];
  JSON.parse(JSON.stringify(createOpenApi()), (_name, value) => {
    if (typeof value === 'number') numbers.push(value);
  });
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((number) => !Number.isSafeInteger(number))).toEqual([]);
  expect(schemas['Pet']?.properties['categoryId']).toMatchObject({
    type: 'integer',
    format: 'int64',
  });
});

test('the OpenAPI document and the service accept the same names of animals, except for invisible characters', () => {
  const name = schemas['NewPet']?.properties['name'];
  const pattern = new RegExp(String(name?.['pattern']), 'u');
  const isName = (text: string) => {
    const length = [...text].length;
    return (
      length >= Number(name?.['minLength']) &&
      length <= Number(name?.['maxLength']) &&
      pattern.test(text)
    );
  };
  const differs = (text: string) =>
    (isName(text) && faultOfNewName(text) === undefined) !==
    NewPet.safeParse({ name: text, categoryId: 1 }).success;
  // The names in this test contain every control character, and have the lengths around the minimum
  // and the maximum.
  const latin = Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(code));
  const lengths = [0, 1, 255, 256].map((length) => '🐈'.repeat(length));
  expect([...latin, ...lengths].filter(differs)).toEqual([]);
  const unit = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code).toWellFormed());
  const property = fc.property(fc.string({ unit }), (text) => !differs(text));
  fc.assert(property, { seed: 1 });
});
