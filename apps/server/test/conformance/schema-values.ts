import { faultOfNewName } from '@animal-store/contract';
import fc from 'fast-check';
import type { Schema } from './open-api.ts';

const boundsOf = (schema: Schema) =>
  [BigInt(schema['minimum'] as bigint), BigInt(schema['maximum'] as bigint)] as const;

/** Values that a schema allows; of JSON Schema what this document uses, and an error for the rest. */
export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  switch (schema['type']) {
    case 'integer': {
      const [min, max] = boundsOf(schema);
      return fc
        .bigInt({ min, max })
        .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
    }
    case 'string': {
      const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u');
      const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
      const isAscii = String(schema['pattern']).includes('\\x21-');
      return fc
        .string({
          unit: isAscii ? visible : 'grapheme',
          minLength: Number(schema['minLength'] ?? 0),
          maxLength: 60,
        })
        .filter(
          (text) =>
            pattern.test(text) &&
            [...text].length <= Number(schema['maxLength']) &&
            // Said in the description of a name: its pattern may not change within v1.
            faultOfNewName(text) === undefined,
        );
    }
    case 'array':
      return fc.array(arbitraryOf(schema['items'] as Schema), {
        minLength: Number(schema['minItems'] ?? 0),
        maxLength: Number(schema['maxItems']),
      });
    case 'object': {
      const members = Object.entries(schema['properties'] as Record<string, Schema>);
      return fc.record(
        Object.fromEntries(members.map(([name, member]) => [name, arbitraryOf(member)])),
        { requiredKeys: schema['required'] as string[] },
      );
    }
    default:
      throw new Error(`There are no values yet for the schema ${JSON.stringify(schema)}`);
  }
}

/** Texts that are no integer: in another notation, several, or with something beside it. */
const noIntegers = [
  ...['', ' 5', '5 ', '+5', '05', '0x10', '1e1', '5.0', '5.5', 'NaN', 'null', '٥', '5,6'],
];

/** Texts that are no value of a parameter. */
export function outside(schema: Schema): fc.Arbitrary<string> | undefined {
  const text = fc.string({ unit: 'grapheme' });
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as string[];
    return text.filter((it) => !values.includes(it));
  }
  switch (schema['type']) {
    case 'string':
      return outsidePattern(schema);
    case 'array':
      return outsideList(schema);
    case 'integer': {
      const [min, max] = boundsOf(schema);
      return fc.oneof(
        fc.bigInt({ min: max + 1n, max: max * 1000n }).map(String),
        fc.bigInt({ min: min * 1000n - 1000n, max: min - 1n }).map(String),
        fc.constantFrom(...noIntegers),
        text.filter((it) => !/^-?\d+$/.test(it)),
      );
    }
    default:
      return undefined;
  }
}

/** Lists, separated by commas, that are too long or have a value that is none of the schema's items. */
function outsideList(schema: Schema): fc.Arbitrary<string> {
  const items = schema['items'] as Schema;
  const tooLong = Number(schema['maxItems']) + 1;
  const some = fc.array(arbitraryOf(items), { maxLength: 5 });
  // Two values are no value, but a list.
  const none = (outside(items) ?? fc.constant('')).filter((text) => !text.includes(','));
  return fc.oneof(
    fc.tuple(some, none, some).map(([before, wrong, after]) => [...before, wrong, ...after].join()),
    fc.array(arbitraryOf(items), { minLength: tooLong, maxLength: tooLong + 5 }).map(String),
  );
}

/** Texts that a pattern refuses, or that are too long for it; HTTP takes the spaces around a value. */
function outsidePattern(schema: Schema): fc.Arbitrary<string> | undefined {
  if (schema['pattern'] === undefined) return undefined;
  const pattern = new RegExp(String(schema['pattern']), 'u');
  const tooLong = Number(schema['maxLength']) + 1;
  return fc.oneof(
    fc
      .string({ unit: 'grapheme-ascii' })
      .filter((text) => text === text.trim() && !pattern.test(text)),
    fc.integer({ min: tooLong, max: tooLong + 50 }).map((length) => 'x'.repeat(length)),
  );
}

/** JSON values of another type than a member's, or out of its bounds. */
export function wrongJson(schema: Schema): fc.Arbitrary<unknown> {
  const others = fc.constantFrom<unknown>(null, true, [], {}, [1]);
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as unknown[];
    return fc.oneof(
      others,
      fc.integer(),
      fc.string().filter((text) => !values.includes(text)),
    );
  }
  if (schema['type'] === 'integer') {
    const [min, max] = boundsOf(schema);
    return fc.oneof(
      others,
      fc.string(),
      fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
      fc.bigInt({ min: max + 1n, max: 2n ** 80n }),
      fc.bigInt({ min: -(2n ** 80n), max: min - 1n }),
    );
  }
  const tooLong = Number(schema['maxLength']) + 1;
  return fc.oneof(
    others,
    fc.integer(),
    fc.constant(''),
    fc.string({ minLength: tooLong, maxLength: tooLong + 50 }),
    fc.string().map((text) => `${text}\u0007`),
  );
}
