import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

/** The wait, about as long as both stores take for a batch. */
const waitMs = 2;

const app = express();
const waiting: (() => void)[] = [];

function answerAll(): void {
  for (const answer of waiting.splice(0)) answer();
}

// Any service that waits pays this cost: it responds to its requests in batches, from objects that
// have left the processor's caches.
app.get('/v1/pets', (_req, res) => {
  if (waiting.length === 0) setTimeout(answerAll, waitMs);
  waiting.push(() => res.json(constantList));
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
