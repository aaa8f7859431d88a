import { describe, expect, test } from 'vitest';
import { committedDocuments, readCommitted, textOf } from './committed-openapi.ts';

describe.each(committedDocuments)('$name', (document) => {
  const { name, errorCodes } = document;

  test('is up to date', () => {
    expect(
      readCommitted(document) === textOf(document),
      `${name} is stale. Write it again and check the difference: npm --prefix packages/contract run openapi`,
    ).toBe(true);
  });

  test('its example errors have codes of the API and their statuses', () => {
    const found: [string, unknown][] = [];
    JSON.parse(readCommitted(document), (_name, value) => {
      if (typeof value?.code === 'string') found.push([value.code, value.status]);
      return value;
    });
    expect(found.length).toBeGreaterThan(10);
    expect(found).toEqual(found.map(([code]) => [code, errorCodes[String(code)]?.status]));
  });
});
