import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

/**
 * How long a request waits before its response, in milliseconds. In the service, Redis and Postgres
 * together take about as long.
 */
const waitMs = 2;

const app = express();
const waiting: (() => void)[] = [];

function answerAll(): void {
  for (const answer of waiting.splice(0)) answer();
}

// This server collects requests for a short time and then responds to all of them. A service that
// waits for Redis and Postgres works in the same way. During the wait, other requests remove the
// objects of a request from the processor's caches. This makes each response slower.
app.get('/v1/pets', (_req, res) => {
  if (waiting.length === 0) setTimeout(answerAll, waitMs);
  waiting.push(() => res.json(constantList));
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
