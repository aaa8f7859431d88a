import { initTRPC, TRPCError } from '@trpc/server';
import { type CreateHTTPContextOptions, createHTTPServer } from '@trpc/server/adapters/standalone';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { announce } from '../announce.ts';
import { port, windows } from './peer-environment.ts';
import { ListQuery, NewPet, PetId } from './peer-schemas.ts';
import { findKeyId, redis } from './peer-stores.ts';
import { createPet, findPet, listPets } from './pets-by-drizzle.ts';

const createContext = ({ req, res }: CreateHTTPContextOptions) => ({ req, res });
const t = initTRPC.context<typeof createContext>().create();

// tRPC recommends no limiter. This one is the most used.
const limiters = windows.map(
  ({ name, limit, seconds }) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `trpc-${name}`,
      points: limit,
      duration: seconds,
    }),
);

const procedure = t.procedure
  .use(async ({ ctx, next }) => {
    const keyId = await findKeyId(ctx.req.headers.authorization);
    if (keyId === undefined) throw new TRPCError({ code: 'UNAUTHORIZED' });
    return next({ ctx: { ...ctx, keyId } });
  })
  .use(async ({ ctx, next }) => {
    try {
      const [minute] = await Promise.all(limiters.map((limiter) => limiter.consume(ctx.keyId)));
      if (minute !== undefined) {
        ctx.res.setHeader('X-RateLimit-Limit', windows[0].limit);
        ctx.res.setHeader('X-RateLimit-Remaining', minute.remainingPoints);
        ctx.res.setHeader(
          'X-RateLimit-Reset',
          Math.ceil((Date.now() + minute.msBeforeNext) / 1_000),
        );
      }
    } catch (denial) {
      if (denial instanceof RateLimiterRes) throw new TRPCError({ code: 'TOO_MANY_REQUESTS' });
      throw denial;
    }
    return next();
  });

const router = t.router({
  listPets: procedure.input(ListQuery).query(({ input }) => listPets(input)),
  getPet: procedure.input(PetId).query(async ({ input }) => {
    const pet = await findPet(input);
    if (pet === undefined) throw new TRPCError({ code: 'NOT_FOUND' });
    return pet;
  }),
  createPet: procedure.input(NewPet).mutation(({ input }) => createPet(input)),
});

const server = createHTTPServer({ router, createContext, basePath: '/v1/' });
server.listen(port, '127.0.0.1', () => announce(server));
