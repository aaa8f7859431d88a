import { expect, test } from 'vitest';
import { errorCodes } from '../error-codes.ts';
import { createOpenApi, describeErrors } from './index.ts';

const errors = describeErrors();

test('every code is described, in the order of the statuses', () => {
  expect(errors.map(({ code }) => code).sort()).toEqual(Object.keys(errorCodes).sort());
  const statuses = errors.map(({ status }) => status);
  expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
});

test.each(errors)('$code has causes, advice and an example with its headers', (error) => {
  expect(error.causes.length).toBeGreaterThan(0);
  for (const text of [error.when, error.advice, ...error.causes]) expect(text).toMatch(/\.$/);
  expect(error.example.body).toMatchObject({ code: error.code, status: error.status });
  const { headers, body } = error.example;
  expect(Object.keys(headers)).toEqual(errorCodes[error.code].headers ?? []);
  // Whatever is worth repeating at a certain time says when, twice: in the header and in the message.
  const seconds = /Retry after (\d+) s/.exec(body.message)?.[1];
  expect(headers['Retry-After']).toBe(seconds);
  expect(error.advice.includes('`Retry-After`')).toBe(seconds !== undefined);
});

test('the document links each code where it documents it, and the list of all', () => {
  const document = createOpenApi({ origin: 'https://pets.example' });
  const { paths, components } = document as {
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
    components: { schemas: { Error: object } };
  };
  type Response = {
    description: string;
    content?: { 'application/json': { examples?: Record<string, unknown> } };
  };
  const missing: string[] = [];
  let found = 0;
  for (const [path, item] of Object.entries(paths)) {
    for (const { responses } of Object.values(item)) {
      for (const { description, content } of Object.values(responses)) {
        for (const code of Object.keys(content?.['application/json'].examples ?? {})) {
          const link = `[\`${code}\`](https://pets.example/docs#error-${code})`;
          if (description.includes(link)) found += 1;
          else missing.push(`${path}: ${code}`);
        }
      }
    }
  }
  expect(missing).toEqual([]);
  expect(found).toBeGreaterThan(30);
  expect(components.schemas.Error).toMatchObject({
    externalDocs: { url: 'https://pets.example/docs#errors' },
  });
});
