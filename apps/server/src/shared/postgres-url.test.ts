import { expect, test } from 'vitest';
import { isPostgresUrl } from './postgres-url.ts';

test.each([
  'postgres://host/name',
  'postgresql://user:p%40ss@db:5433/animals?sslmode=require',
  'postgres://user:secret@a:5432,b:5433/name',
  'postgres://a,b,c/name?target_session_attrs=primary',
  'postgres://a/name?target_session_attrs=read-write',
])('%s is a URL of Postgres', (text) => {
  expect(isPostgresUrl(text)).toBe(true);
});

test.each([
  '',
  'animals',
  'mysql://db/animals',
  'postgres:///name',
  'postgres://db:70000/name',
  'postgres://a,b:70000/name',
  'postgres://a,,b/name',
  'postgres://a/name?target_session_attrs=standby',
  'postgres://a/name?target_session_attrs=any',
  'postgres://a/name?target_session_attrs=prefer-standby',
  'postgres://a/name?target_session_attrs=',
  'postgres://a/name?target_session_attrs=primary&target_session_attrs=standby',
])('%j is none', (text) => {
  expect(isPostgresUrl(text)).toBe(false);
});
