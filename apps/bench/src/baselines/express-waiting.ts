import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

/** How long a request waits, in milliseconds. Redis and Postgres together take about as long. */
const waitMs = 2;

const app = express();
const waiting: (() => void)[] = [];

function answerAll(): void {
  for (const answer of waiting.splice(0)) answer();
}

// Like a service that waits for Redis and Postgres, this server collects requests and responds to
// all of them at the same time. By then, the objects of these requests have left the processor's
// caches, which makes each response slower.
app.get('/v1/pets', (_req, res) => {
  if (waiting.length === 0) setTimeout(answerAll, waitMs);
  waiting.push(() => res.json(constantList));
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
