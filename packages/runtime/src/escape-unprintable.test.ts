import { expect, test } from 'vitest';
import { escapeUnprintable } from './escape-unprintable.ts';

test.each([
  ['direction overrides', 'a\u202Eb', 'a\\u202eb'],
  ['direction marks', '\u2066\u200Ea\u200F\u061C', '\\u2066\\u200ea\\u200f\\u061c'],
  ['escape sequences', '\u001B[31m\u009B31m', '\\u001b[31m\\u009b31m'],
  ['a carriage return and a tab', 'a\r\t', 'a\\u000d\\u0009'],
  ['line separators', '\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
  ['invisible characters', '\u200B\u00AD\uFEFF', '\\u200b\\u00ad\\ufeff'],
  ['a character beyond U+FFFF', '\u{E0041}', '\\udb40\\udc41'],
])('escapeUnprintable escapes %s', (_what, text, escaped) => {
  expect(escapeUnprintable(text)).toBe(escaped);
});

test.each(['two\nlines', 'é 漢字 كلب', '👩🏽‍🚒', 'نمی\u200Cخواهم', 'a\u00A0b'])(
  'escapeUnprintable does not change %j',
  (text) => {
    expect(escapeUnprintable(text)).toBe(text);
  },
);
