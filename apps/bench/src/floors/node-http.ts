import { createServer } from 'node:http';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

const body = JSON.stringify(constantList);

const server = createServer((_req, res) => {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(body);
}).listen(port, '127.0.0.1', () => announce(server));
