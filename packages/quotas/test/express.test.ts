import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestClock } from '@animal-store/runtime/test-clock';
import express, { type RequestHandler } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { limitRequests } from '../src/express.ts';
import { createMemoryQuotas } from '../src/index.ts';

async function serve(handler: RequestHandler): Promise<string> {
  const app = express();
  app.use(handler);
  app.get('/', (_req, res) => void res.json({ hello: 'world' }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const quotas = createMemoryQuotas({ clock: createTestClock() });
const quota = { perMinute: 1, perDay: 5 };

test('the Express middleware sets the quota headers on every response, and refuses a request with 429 and Retry-After', async () => {
  const origin = await serve(limitRequests(quotas, (req) => ({ id: req.ip ?? '', quota })));
  const admitted = await fetch(origin);
  expect(admitted.status).toBe(200);
  expect(Object.fromEntries(admitted.headers)).toMatchObject({
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'ratelimit-policy': '"minute";q=1;w=60, "day";q=5;w=86400',
    ratelimit: '"minute";r=0;t=60, "day";r=4;t=86400',
  });
  const refused = await fetch(origin);
  const seconds = Number(refused.headers.get('retry-after'));
  expect([refused.status, seconds]).toEqual([429, 60]);
  expect(await refused.json()).toEqual({
    code: 'denied',
    message: 'Too many requests. Retry after 60 s.',
    retryAfterSeconds: 60,
  });
});

test('the Express middleware admits a request without a consumer, and passes errors to the function `next`', async () => {
  const free = await serve(limitRequests(quotas, () => undefined));
  const answer = await fetch(free);
  expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
  const broken = await serve(limitRequests(quotas, () => ({ id: '', quota })));
  expect((await fetch(broken)).status).toBe(500);
});
