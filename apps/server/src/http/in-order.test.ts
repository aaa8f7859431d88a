import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { expect, test } from 'vitest';
import { inOrder } from './in-order.ts';

const note =
  (name: string): RequestHandler =>
  (_req, res, next) => {
    res.locals['names'] = [...(res.locals['names'] ?? []), name];
    next();
  };

const noteLater =
  (name: string): RequestHandler =>
  async (req, res, next) => {
    await Promise.resolve();
    note(name)(req, res, next);
  };

const showFailure: ErrorRequestHandler = (failure, _req, res, _next) => {
  res.json({ failure: String(failure), names: res.locals['names'] });
};

async function answerOf(...steps: RequestHandler[]): Promise<unknown> {
  const app = express();
  app.use(inOrder(...steps));
  app.use((_req, res) => res.json({ names: res.locals['names'] }));
  app.use(showFailure);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await (await fetch(`http://127.0.0.1:${port}`)).json();
  } finally {
    server.close();
  }
}

test('middlewares run in order, whether they are asynchronous or not', async () => {
  const steps = [note('a'), noteLater('b'), note('c')];
  expect(await answerOf(...steps)).toEqual({ names: ['a', 'b', 'c'] });
});

test('a middleware that responds is the last one', async () => {
  const respond: RequestHandler = (_req, res) => {
    res.json('responded');
  };
  expect(await answerOf(note('a'), respond, note('b'))).toBe('responded');
});

const failures: Record<string, RequestHandler> = {
  'passed to next': (_req, _res, next) => next(new Error('failed')),
  thrown: () => {
    throw new Error('failed');
  },
  'rejected with': async () => {
    throw new Error('failed');
  },
};

test.each(Object.entries(failures))('nothing runs after an error that is %s', async (_, fail) => {
  const answer = await answerOf(note('a'), fail, note('b'));
  expect(answer).toEqual({ failure: 'Error: failed', names: ['a'] });
});

test('a rejection without a reason is a failure too', async () => {
  const answer = await answerOf(note('a'), () => Promise.reject(), note('b'));
  expect(answer).toEqual({ failure: 'Error: A middleware failed.', names: ['a'] });
});
