import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { announce } from '../announce.ts';
import type { Pet } from '../catalogue.ts';
import { findKeyId, port, redis, windows } from './peer-stores.ts';
import * as pets from './pets-by-pg.ts';

const statusSchema = { enum: ['available', 'pending', 'sold'] };
const petSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
};

// The routes have JSON schemas, as Fastify's documentation recommends.
const app = Fastify();
app.decorateRequest('keyId', '');

app.addHook('onRequest', async (request, reply) => {
  const keyId = await findKeyId(request.headers.authorization);
  if (keyId === undefined) {
    return reply
      .code(401)
      .send({ code: 'unauthorized', message: 'The API key is missing or unknown.', status: 401 });
  }
  request.setDecorator('keyId', keyId);
});

await app.register(rateLimit, { global: false, redis, nameSpace: 'fastify-pg:' });
// @fastify/rate-limit counts only one window for each route. For more windows, its documentation
// recommends `createRateLimit`.
const limiters = windows.map(({ name, limit, seconds }) =>
  app.createRateLimit({
    max: limit,
    timeWindow: seconds * 1_000,
    keyGenerator: (request) => `${name}:${request.getDecorator<string>('keyId')}`,
  }),
);
app.addHook('onRequest', async (request, reply) => {
  const results = await Promise.all(limiters.map((check) => check(request)));
  for (const result of results) {
    if (result.isAllowed) continue;
    reply.header('X-RateLimit-Limit', result.max);
    reply.header('X-RateLimit-Remaining', result.remaining);
    reply.header('X-RateLimit-Reset', Math.ceil(Date.now() / 1_000) + result.ttlInSeconds);
    if (result.isExceeded) {
      return reply.code(429).header('Retry-After', result.ttlInSeconds).send({
        code: 'rate_limit_exceeded',
        message: 'The API key has no requests left in this window.',
        status: 429,
      });
    }
  }
});

app.get<{ Querystring: pets.ListQuery }>(
  '/v1/pets',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          status: statusSchema,
        },
      },
      response: { 200: { type: 'array', items: petSchema } },
    },
  },
  (request) => pets.listPets(request.query),
);

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  {
    schema: {
      params: { type: 'object', properties: { petId: { type: 'integer' } } },
      response: { 200: petSchema },
    },
  },
  async (request, reply) => {
    const pet = await pets.findPet(request.params.petId);
    return pet ?? reply.code(404).send({ code: 'not_found', message: '', status: 404 });
  },
);

app.post<{ Body: Omit<Pet, 'id'> }>(
  '/v1/pets',
  {
    schema: {
      body: {
        type: 'object',
        required: ['name', 'categoryId'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 255 },
          categoryId: { type: 'integer' },
          status: { ...statusSchema, default: 'available' },
        },
      },
      response: { 201: petSchema },
    },
  },
  async (request, reply) => {
    reply.code(201);
    return pets.createPet(request.body);
  },
);

await app.listen({ port, host: '127.0.0.1' });
announce(app.server);
