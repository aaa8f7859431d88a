import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { expect, test, vi } from 'vitest';
import { send as ask } from '../../test/support/send.ts';
import { beginRequest } from './begin-request.ts';
import { createExpress } from './create-express.ts';
import { appendHeader, setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

/** Some headers of the answer of a handler. */
async function headersOf(names: string[], handler: RequestHandler, method = 'GET') {
  const app = createExpress();
  app.use((req, res, next) => {
    beginRequest(req, res);
    next();
  }, handler);
  await using server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const request = { method, target: '/', headers: { Connection: 'close' } };
  const { headers } = await ask(`http://127.0.0.1:${port}`, request);
  return names.map((name) => headers.get(name));
}

test.each([[[]], [['X-Other']]])(
  'headers are noted, appended and replaced, beside those of Node: %j',
  async (others) => {
    const headers = await headersOf(['Link', 'Cache-Control', 'Content-Type'], (_req, res) => {
      for (const name of others) res.setHeader(name, 'x');
      appendHeader(res, 'Link', '</docs>; rel="deprecation"');
      appendHeader(res, 'Link', '</pets>; rel="next"');
      setHeader(res, 'Cache-Control', 'public, no-cache');
      // A failure after the type was set is sent as JSON.
      setHeader(res, 'Content-Type', 'text/html');
      res.json([]);
    });
    const links = '</docs>; rel="deprecation", </pets>; rel="next"';
    expect(headers).toEqual([links, 'public, no-cache', 'application/json; charset=utf-8']);
  },
);

test.each(['GET', 'HEAD'])('the length of a text in UTF-8 is sent to a %s', async (method) => {
  expect(await headersOf(['Content-Length'], (_req, res) => res.json('ü'), method)).toEqual(['4']);
});

test('a response without content has no length', async () => {
  const names = ['Content-Length', 'Transfer-Encoding'];
  expect(await headersOf(names, (_req, res) => send(res.status(204)))).toEqual([null, null]);
});

// Otherwise callers that never read their responses would hold all slots of the requests in flight.
test('a request leaves the load shedder when its response is complete, not when it is sent', async () => {
  await headersOf([], (_req, res) => {
    const onAnswered = vi.fn();
    res.locals.onAnswered = onAnswered;
    send(res, 'x');
    expect(onAnswered).toHaveBeenCalledOnce();
  });
});
