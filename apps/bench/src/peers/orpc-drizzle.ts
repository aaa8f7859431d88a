import { createServer, type IncomingMessage } from 'node:http';
import { createRatelimitMiddleware, RatelimitHandlerPlugin } from '@orpc/experimental-ratelimit';
import { RedisRatelimiter } from '@orpc/experimental-ratelimit/redis';
import { OpenAPIHandler } from '@orpc/openapi/node';
import { ORPCError, os } from '@orpc/server';
import { z } from 'zod';
import { announce } from '../announce.ts';
import { port, windows } from './peer-environment.ts';
import { ListQuery, NewPet, Pet, PetId } from './peer-schemas.ts';
import { findKeyId, redis } from './peer-stores.ts';
import { createPet, findPet, listPets } from './pets-by-drizzle.ts';

const base = os.$context<{ req: IncomingMessage }>();

const requireKey = base.middleware(async ({ context, next }) => {
  const keyId = await findKeyId(context.req.headers.authorization);
  if (keyId === undefined) throw new ORPCError('UNAUTHORIZED');
  return next({ context: { keyId } });
});

const [minute, day] = windows.map(({ name, limit, seconds }) =>
  createRatelimitMiddleware<{ req: IncomingMessage; keyId: string }>({
    limiter: new RedisRatelimiter({
      eval: (script, numKeys, ...rest) => redis.eval(script, numKeys, ...rest),
      prefix: `orpc:${name}:`,
      maxRequests: limit,
      window: seconds * 1_000,
    }),
    key: ({ context }) => context.keyId,
  }),
);
if (minute === undefined || day === undefined) throw new Error('There are two windows.');

const withKey = base.use(requireKey).use(minute).use(day);

const router = {
  listPets: withKey
    .route({ method: 'GET', path: '/v1/pets' })
    .input(ListQuery)
    .output(z.array(Pet))
    .handler(({ input }) => listPets(input)),

  getPet: withKey
    .route({ method: 'GET', path: '/v1/pets/{petId}' })
    .input(z.object({ petId: PetId }))
    .output(Pet)
    .handler(async ({ input }) => {
      const pet = await findPet(input.petId);
      if (pet === undefined) throw new ORPCError('NOT_FOUND');
      return pet;
    }),

  createPet: withKey
    .route({ method: 'POST', path: '/v1/pets', successStatus: 201 })
    .input(NewPet)
    .output(Pet)
    .handler(({ input }) => createPet(input)),
};

const handler = new OpenAPIHandler(router, { plugins: [new RatelimitHandlerPlugin()] });

const server = createServer(async (req, res) => {
  const { matched } = await handler.handle(req, res, { context: { req } });
  if (!matched) res.writeHead(404).end();
}).listen(port, '127.0.0.1', () => announce(server));
