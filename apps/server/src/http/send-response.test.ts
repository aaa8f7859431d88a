import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createExpress } from './create-express.ts';
import { appendHeader, setHeader } from './note-headers.ts';
import { send } from './send-response.ts';
import { identifyRequest } from './track-request.ts';

/** The headers of the answer of a handler. */
async function headersOf(handler: RequestHandler, method = 'GET'): Promise<IncomingHttpHeaders> {
  const app = createExpress();
  app.use((req, res, next) => {
    identifyRequest(req, res);
    next();
  }, handler);
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', method, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.headers));
    })
      .on('error', reject)
      .end();
  });
}

test.each([[], ['Connection']])(
  'two links are both sent, with setHeader of %j',
  async (...names) => {
    const headers = await headersOf((_req, res) => {
      for (const name of names) res.setHeader(name, 'close');
      appendHeader(res, 'Link', '</docs>; rel="deprecation"');
      appendHeader(res, 'Link', '</pets>; rel="next"');
      res.json([]);
    });
    expect(headers['link']).toBe('</docs>; rel="deprecation", </pets>; rel="next"');
  },
);

test('a header that is set again has the last value, once', async () => {
  const headers = await headersOf((_req, res) => {
    setHeader(res, 'Cache-Control', 'public, no-cache');
    send(res, 'a');
  });
  expect(headers['cache-control']).toBe('public, no-cache');
});

test('a failure after the type was set is sent as JSON', async () => {
  const headers = await headersOf((_req, res) => {
    setHeader(res, 'Content-Type', 'text/html');
    res.json({ code: 'internal_error' });
  });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test.each(['GET', 'HEAD'])('the length of a text in UTF-8 is sent to a %s', async (method) => {
  const headers = await headersOf((_req, res) => {
    res.json('ü');
  }, method);
  expect(headers['content-length']).toBe('4');
});

test('a response without content has no length', async () => {
  const headers = await headersOf((_req, res) => send(res.status(204)));
  expect(headers).not.toHaveProperty('content-length');
  expect(headers).not.toHaveProperty('transfer-encoding');
});
