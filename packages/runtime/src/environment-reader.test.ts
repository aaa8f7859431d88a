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

const originOf = (text: string) =>
  readSettings((env) => env.origin('PUBLIC_URL', 'an origin'), { PUBLIC_URL: text });

// Regression: an origin with a final slash was refused.
test.each([
  ['https://api.example.com/', 'https://api.example.com'],
  ['HTTPS://API.example.com:443', 'https://api.example.com'],
  ['http://[::1]:80/', 'http://[::1]'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
])('EnvironmentReader.origin reads %s as %s', (text, origin) => {
  expect(originOf(text)).toBe(origin);
});

test.each([
  'https://a/v1',
  'https://a//',
  'https://a/?b',
  'https://a:80:80',
  'http://1',
  'ftp://a',
])('EnvironmentReader.origin refuses %s', (text) => {
  expect(() => originOf(text)).toThrow(new StartupError('PUBLIC_URL: expected an origin'));
});

test('namesOf lists every variable that the settings are read from', () => {
  expect(namesOf(settings)).toEqual(['PORT', 'LEVEL', 'STORE_URL']);
});
