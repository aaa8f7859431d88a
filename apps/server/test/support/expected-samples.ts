import { expect } from 'vitest';

const ok = /^HTTP\/1.1 200/;
const created = /^HTTP\/1.1 201/;
const mia = /Mia/;
const id = /^\d+$/m;
const remaining = /remaining/;
const notImplemented = /not_implemented/;
const forSale = /^\d+ animals are for sale$/m;

/** What each sample of the guides prints, by its guide, heading and language. */
const expected: Readonly<Record<string, RegExp>> = {
  'start, Read, sh': ok,
  'start, Write, sh': created,

  'operations, List animals, sh': ok,
  'operations, List animals, ts': mia,
  'operations, List animals, js': mia,
  'operations, List animals, python': mia,
  'operations, List animals, go': mia,
  'operations, Add an animal, sh': created,
  'operations, Add an animal, ts': id,
  'operations, Add an animal, js': id,
  'operations, Add an animal, python': id,
  'operations, Add an animal, go': id,
  'operations, Get an animal by its id, sh': ok,
  'operations, Get an animal by its id, ts': mia,
  'operations, Get an animal by its id, js': mia,
  'operations, Get an animal by its id, python': mia,
  'operations, Get an animal by its id, go': mia,
  "operations, Show the key's rate limits, sh": ok,
  "operations, Show the key's rate limits, ts": /^\d+ remaining of \d+$/m,
  "operations, Show the key's rate limits, js": remaining,
  "operations, Show the key's rate limits, python": remaining,
  "operations, Show the key's rate limits, go": remaining,
  'operations, List orders, sh': /^HTTP\/1.1 501/,
  'operations, List orders, ts': notImplemented,
  'operations, List orders, js': notImplemented,
  'operations, List orders, python': notImplemented,
  'operations, List orders, go': notImplemented,

  'limits, After a 429, python': /^5 animals$/m,
  'limits, After a 429, go': /^200 OK \d+ left$/m,

  'errors, In code, ts': /^invalid_request name: .* \S+\/docs#error-invalid_request$/m,
  'errors, In code, python': /^invalid_request limit: /m,
  'errors, In code, go': /^invalid_request limit: /m,

  'pagination, All pages, in code, ts': /^\d+ Mia$/m,
  'pagination, All pages, in code, js': /^\d+ Mia$/m,
  'pagination, All pages, in code, python': /^\d+ Mia$/m,
  'pagination, All pages, in code, go': /^\d+ Mia$/m,

  'idempotency, Idempotency, sh': /^HTTP\/1.1 201[\s\S]*^Idempotent-Replayed: true/m,

  'deprecation, Before, sh': ok,
  'deprecation, Before, ts': mia,
  'deprecation, Before, python': mia,
  'deprecation, Before, go': mia,
  'deprecation, After, sh': ok,
  'deprecation, After, ts': mia,
  'deprecation, After, python': mia,
  'deprecation, After, go': mia,

  'typescript, The TypeScript client, ts': /^\d+ \d+ animals are for sale$/m,

  'languages, Write one, python': new RegExp(`^9007199254740993\n${forSale.source}`, 'm'),
  'languages, Write one, go': /^9007199254740993 \d+ animals are for sale$/m,
};

/** The names of all samples that are expected. */
export const expectedSamples = Object.keys(expected);

/** Expects that samples have printed what they should, by their names. */
export function expectOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, output] of Object.entries(outputs)) {
    expect(output, name).toMatch(expected[name] ?? expect.unreachable(name));
  }
}
