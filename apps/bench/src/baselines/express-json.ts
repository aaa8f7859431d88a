import { createServer } from 'node:http';
import express from 'express';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

const app = express();
app.get('/v1/pets', (_req, res) => {
  res.json(constantList);
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
