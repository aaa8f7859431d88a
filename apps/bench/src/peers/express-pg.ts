import { createServer } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { announce } from '../announce.ts';
import { port, windows } from './peer-environment.ts';
import { ListQuery, NewPet, PetId } from './peer-schemas.ts';
import { findKeyId, redis } from './peer-stores.ts';
import { createPet, findPet, listPets } from './pets-by-pg.ts';

const app = express();
app.use(express.json());

app.use(async (req: Request, res: Response, next: NextFunction) => {
  const keyId = await findKeyId(req.headers.authorization);
  if (keyId === undefined) {
    res.status(401).json({ code: 'unauthorized', message: 'A valid key is needed.', status: 401 });
    return;
  }
  res.locals['keyId'] = keyId;
  next();
});

for (const { name, limit, seconds } of windows) {
  app.use(
    rateLimit({
      windowMs: seconds * 1_000,
      limit,
      standardHeaders: true,
      keyGenerator: (_req, res) => res.locals['keyId'],
      store: new RedisStore({
        prefix: `express:${name}:`,
        sendCommand: (command, ...args) => redis.call(command, ...args) as Promise<RedisReply>,
      }),
    }),
  );
}

app.get('/v1/pets', async (req, res) => {
  res.json(await listPets(ListQuery.parse(req.query)));
});

app.get('/v1/pets/:petId', async (req, res) => {
  const pet = await findPet(PetId.parse(req.params.petId));
  if (pet === undefined) res.status(404).json({ code: 'not_found', message: '', status: 404 });
  else res.json(pet);
});

app.post('/v1/pets', async (req, res) => {
  res.status(201).json(await createPet(NewPet.parse(req.body)));
});

const server = createServer(app).listen(port, '127.0.0.1', () => announce(server));
