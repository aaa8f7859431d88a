import { expect, test } from 'vitest';
import { type EnvironmentReader, namesOf, readSettings } from './environment-reader.ts';
import { StartupError } from './startup-error.ts';

const settings = (env: EnvironmentReader) => ({
  port: env.number('PORT', [0, 65_535], 3_000),
  level: env.choice('LEVEL', ['info', 'debug']) ?? 'info',
  url: env.parsed('STORE_URL', (text) => (URL.canParse(text) ? new URL(text) : 'expected a URL')),
});

test('readSettings uses the default when a variable is missing or empty', () => {
  expect(readSettings(settings, { LEVEL: '', PORT: '80' })).toEqual({
    port: 80,
    level: 'info',
    url: undefined,
  });
});

test('readSettings names each invalid variable once, and shows none of the values', () => {
  const wrong = { PORT: 'secret-1', LEVEL: 'secret-2', STORE_URL: 'secret 3' };
  expect(() => readSettings(settings, wrong, ['PROT: unknown'])).toThrow(
    new StartupError(
      [
        'PORT: expected a whole number from 0 to 65535, such as PORT=3000',
        'LEVEL: expected one of info, debug',
        'STORE_URL: expected a URL',
        'PROT: unknown',
      ].join('\n'),
    ),
  );
});

test('namesOf lists every variable that the settings are read from', () => {
  expect(namesOf(settings)).toEqual(['PORT', 'LEVEL', 'STORE_URL']);
});
