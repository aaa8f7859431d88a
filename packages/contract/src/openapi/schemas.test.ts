import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewPet } from '../pet.ts';
import type { JsonObject } from './json-schema.ts';
import { schemas as writer } from './schemas.ts';

const schemas = writer.components() as Record<string, { properties: Record<string, JsonObject> }>;

test('the named schemas are these five', () => {
  expect(Object.keys(schemas)).toEqual(['Pet', 'NewPet', 'Pets', 'PetStatus', 'Error']);
});

test('a category has the true bounds of int64', () => {
  for (const name of ['Pet', 'NewPet']) {
    expect(schemas[name]?.properties['categoryId']).toMatchObject({
      type: 'integer',
      format: 'int64',
      minimum: -(2n ** 63n),
      maximum: 2n ** 63n - 1n,
    });
  }
});

test('a name is one to the document exactly when it is one to the service', () => {
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
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300, size: 'max' }), (text) => {
      expect(isName(text)).toBe(NewPet.safeParse({ name: text, categoryId: 1 }).success);
    }),
  );
  // Every character that a control character could hide behind.
  for (let code = 0; code < 0x250; code++) {
    const text = String.fromCodePoint(code);
    expect(isName(text), `U+${code.toString(16)}`).toBe(
      NewPet.safeParse({ name: text, categoryId: 1 }).success,
    );
  }
});
