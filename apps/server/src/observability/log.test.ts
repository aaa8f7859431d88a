import { expect, test } from 'vitest';
import { createToken } from '../keys/token.ts';
import { describeFailure } from './log.ts';
import { prettyLine } from './pretty-line.ts';

test('of a failure only its name, message and stack are told, without tokens', () => {
  const token = createToken();
  const failure = Object.assign(new TypeError(`no ${token}`, { cause: new Error(token) }), {
    query: 'select 1',
    parameters: [token],
  });
  const told = describeFailure(failure);
  expect(told).toEqual({
    type: 'TypeError',
    message: 'no ast_…',
    stack: expect.stringContaining('TypeError: no ast_…\n    at '),
  });
  expect(JSON.stringify(told)).not.toContain(token.slice(8));
});

test('what was thrown without being an Error may be anything, and is not told', () => {
  expect(describeFailure(createToken())).toEqual({ type: 'string' });
});

test('a line for people has the time of day, the level, the message, the fields and the stack', () => {
  const line = prettyLine(
    '{"level":"warn","time":"2026-01-02T03:04:05.678Z","status":500,"a":{"b":1},"error":{"type":"E","stack":"E: x\\n at y"},"msg":"hello"}\n',
  );
  expect(line).toMatch(/^\d\d:\d\d:\d\d warn {2}hello status=500 a\.b=1\nE: x\n at y\n$/);
});
