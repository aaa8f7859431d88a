import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createOpenApi } from '../src/openapi/index.ts';
import { committedFile, publicDocument } from './openapi-documents.ts';

test('the committed openapi.json equals the document that the contract generates', () => {
  expect(
    readFileSync(committedFile, 'utf8') === publicDocument.text,
    'openapi.json is stale. Write it again and check the difference: npm --prefix packages/contract run openapi',
  ).toBe(true);
});

test('createOpenApi uses the given origin in all links and examples', () => {
  const text = JSON.stringify(createOpenApi({ origin: 'https://pets.example' }));
  const origins = text.match(/https?:\/\/[\w.-]+(?=\/(?:docs|v1))/g) ?? [];
  expect(new Set(origins)).toEqual(new Set(['https://pets.example']));
});
