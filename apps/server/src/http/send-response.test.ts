import type { Response } from 'express';
import { expect, test, vi } from 'vitest';
import { appendHeader, setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

// By Express, and over HTTP: test/http.

test('noted headers are written at once, and the request leaves the load shedder before it is sent', () => {
  // Callers that never read their responses would hold all slots of the requests in flight.
  const onAnswered = vi.fn();
  const end = vi.fn();
  const writeHead = vi.fn(() => ({ end }));
  const res = {
    locals: { headers: [], onAnswered },
    statusCode: 200,
    writeHead,
  } as never as Response;
  appendHeader(res, 'Link', '</docs>; rel="deprecation"');
  setHeader(res, 'Content-Type', 'text/html');
  appendHeader(res, 'Link', '</pets>; rel="next"');
  setHeader(res, 'Content-Type', 'text/plain');
  send(res, 'ü');
  expect(writeHead.mock.calls).toEqual([
    [
      200,
      [
        ...['Link', '</docs>; rel="deprecation", </pets>; rel="next"'],
        ...['Content-Type', 'text/plain', 'Content-Length', '2'],
      ],
    ],
  ]);
  expect(end).toHaveBeenCalledExactlyOnceWith('ü');
  expect(onAnswered).toHaveBeenCalledOnce();
});
