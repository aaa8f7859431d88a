import type { Response } from 'express';
import { expect, test, vi } from 'vitest';
import { appendHeader, setHeader } from './collected-headers.ts';
import { send } from './send-response.ts';

// The tests in `test/http` also test `send`, but through Express and over HTTP.

test('the function `send` writes all collected headers in one call, and reports the response as complete before the client has read it', () => {
  // The request's slot in the load shedder must be free before the client has read the response.
  // Otherwise callers that never read their responses would occupy all slots.
  const onAnswered = vi.fn();
  const end = vi.fn();
  const writeHead = vi.fn(() => ({ end }));
  const locals = { headers: [], onAnswered };
  const res = { locals, statusCode: 200, writeHead } as never as Response;
  appendHeader(res, 'Link', '</docs>; rel="deprecation"');
  setHeader(res, 'Content-Type', 'text/html');
  appendHeader(res, 'Link', '</pets>; rel="next"');
  setHeader(res, 'Content-Type', 'text/plain');
  send(res, 'ü');
  const link = '</docs>; rel="deprecation", </pets>; rel="next"';
  const headers = ['Link', link, 'Content-Type', 'text/plain', 'Content-Length', '2'];
  expect(writeHead).toHaveBeenCalledExactlyOnceWith(200, headers);
  expect(end).toHaveBeenCalledExactlyOnceWith('ü');
  expect(onAnswered).toHaveBeenCalledOnce();
});
