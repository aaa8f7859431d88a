import Fastify from 'fastify';
import { announce } from '../announce.ts';
import { constantList, port } from './constant-list.ts';

const app = Fastify();
app.get('/v1/pets', async () => constantList);

await app.listen({ port, host: '127.0.0.1' });
announce(app.server);
