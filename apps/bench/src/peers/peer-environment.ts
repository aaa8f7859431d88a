import { z } from 'zod';

const Environment = z.object({
  PORT: z.coerce.number(),
  DATABASE_URL: z.string(),
  REDIS_URL: z.string(),
  PER_MINUTE: z.coerce.number(),
  PER_DAY: z.coerce.number(),
});

// biome-ignore lint/style/noProcessEnv: a peer is a program of its own, and this is its configuration
const environment = Environment.parse(process.env);

export const port = environment.PORT;
export const databaseUrl = environment.DATABASE_URL;
export const redisUrl = environment.REDIS_URL;

/** The two windows that every peer counts, under the name that their Redis keys begin with. */
export const windows = [
  { name: 'minute', limit: environment.PER_MINUTE, seconds: 60 },
  { name: 'day', limit: environment.PER_DAY, seconds: 86_400 },
] as const;
