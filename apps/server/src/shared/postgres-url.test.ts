import { expect, test } from 'vitest';
import { isPostgresUrl } from './postgres-url.ts';

const withTarget = (target: string) => `postgres://a,b/name?target_session_attrs=${target}`;

test.each([
  'postgres://host/name',
  'postgresql://user:p%40ss@a:5433,b/animals?sslmode=require',
  withTarget('primary'),
  withTarget('read-write'),
])('%s is a URL of Postgres', (text) => {
  expect(isPostgresUrl(text)).toBe(true);
});

test.each([
  ...['', 'animals', 'mysql://db/animals', 'postgres:///name', 'postgres://a,,b/name'],
  ...['postgres://db:70000/name', 'postgres://a,b:70000/name'],
  ...['', 'standby', 'any', 'primary&target_session_attrs=standby'].map(withTarget),
])('%j is none', (text) => {
  expect(isPostgresUrl(text)).toBe(false);
});
