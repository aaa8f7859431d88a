import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { rateLimiter } from 'hono-rate-limiter';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { announce } from '../announce.ts';
import { port, windows } from './peer-environment.ts';
import { ListQuery, NewPet, PetId } from './peer-schemas.ts';
import { findKeyId, redis } from './peer-stores.ts';
import { createPet, findPet, listPets } from './pets-by-drizzle.ts';

const app = new Hono<{ Variables: { keyId: string } }>();

app.use(async (c, next) => {
  const keyId = await findKeyId(c.req.header('Authorization'));
  if (keyId === undefined) {
    return c.json({ code: 'unauthorized', message: 'A valid key is needed.', status: 401 }, 401);
  }
  c.set('keyId', keyId);
  return next();
});

for (const { name, limit, seconds } of windows) {
  const store = new RedisStore({
    prefix: `hono:${name}:`,
    sendCommand: (command, ...args) => redis.call(command, ...args) as Promise<RedisReply>,
  });
  app.use(
    rateLimiter<{ Variables: { keyId: string } }>({
      windowMs: seconds * 1_000,
      limit,
      standardHeaders: 'draft-6',
      keyGenerator: (c) => c.get('keyId'),
      // hono-rate-limiter takes the stores of express-rate-limit, under a type of its own.
      store: store as never,
    }),
  );
}

app.get('/v1/pets', async (c) => c.json(await listPets(ListQuery.parse(c.req.query()))));

app.get('/v1/pets/:petId', async (c) => {
  const pet = await findPet(PetId.parse(c.req.param('petId')));
  return pet === undefined
    ? c.json({ code: 'not_found', message: '', status: 404 }, 404)
    : c.json(pet);
});

app.post('/v1/pets', async (c) => c.json(await createPet(NewPet.parse(await c.req.json())), 201));

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => announce(server));
