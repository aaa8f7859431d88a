import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

/** About as long as both stores take for a batch. */
const waitMs = 2;

const app = express();
const waiting: (() => void)[] = [];

function answerAll(): void {
  for (const answer of waiting.splice(0)) answer();
}

// What any service pays that waits for something: its requests are answered in batches, by objects
// that have left the processor's caches.
app.get('/v1/pets', (_req, res) => {
  if (waiting.length === 0) setTimeout(answerAll, waitMs);
  waiting.push(() => res.json(constantList));
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
