import { expect, test } from 'vitest';
import { createOpenApi } from '../src/openapi/index.ts';
import { documents, publicDocument, readCommitted } from './openapi-documents.ts';

test('openapi.json is up to date', () => {
  expect(
    readCommitted() === publicDocument.text,
    'openapi.json is stale. Write it again and check the difference: npm --prefix packages/contract run openapi',
  ).toBe(true);
});

test('links and examples have the origin of the service', () => {
  const text = JSON.stringify(createOpenApi({ origin: 'https://pets.example' }));
  const origins = text.match(/https?:\/\/[\w.-]+(?=\/(?:docs|v1))/g) ?? [];
  expect(new Set(origins)).toEqual(new Set(['https://pets.example']));
});

test.each(documents)(
  'the example errors of $name have codes of the API and their statuses',
  ({ text, errorCodes }) => {
    const found: [string, unknown][] = [];
    JSON.parse(text, (_name, value) => {
      if (typeof value?.code === 'string') found.push([value.code, value.status]);
      return value;
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found).toEqual(found.map(([code]) => [code, errorCodes[String(code)]?.status]));
  },
);
