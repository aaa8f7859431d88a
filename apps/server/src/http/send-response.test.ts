import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { expect, test } from 'vitest';
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
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const request = { method, target: '/', headers: { Connection: 'close' } };
  const { headers } = await ask(`http://127.0.0.1:${port}`, request);
  server.close();
  return names.map((name) => headers.get(name));
}

test('headers are noted, appended and replaced, beside those of Node', async () => {
  const links = '</docs>; rel="deprecation", </pets>; rel="next"';
  for (const names of [[], ['X-Other']]) {
    const headers = await headersOf(['Link', 'Cache-Control', 'Content-Type'], (_req, res) => {
      for (const name of names) res.setHeader(name, 'x');
      appendHeader(res, 'Link', '</docs>; rel="deprecation"');
      appendHeader(res, 'Link', '</pets>; rel="next"');
      setHeader(res, 'Cache-Control', 'public, no-cache');
      // A failure after the type was set is sent as JSON.
      setHeader(res, 'Content-Type', 'text/html');
      res.json([]);
    });
    expect(headers).toEqual([links, 'public, no-cache', 'application/json; charset=utf-8']);
  }
});

test.each(['GET', 'HEAD'])('the length of a text in UTF-8 is sent to a %s', async (method) => {
  expect(await headersOf(['Content-Length'], (_req, res) => res.json('ü'), method)).toEqual(['4']);
});

test('a response without content has no length', async () => {
  const names = ['Content-Length', 'Transfer-Encoding'];
  expect(await headersOf(names, (_req, res) => send(res.status(204)))).toEqual([null, null]);
});
