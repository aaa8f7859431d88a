import { fileURLToPath } from 'node:url';
import { type Protocol, rest, trpc } from './protocols.ts';

export type Target = {
  readonly name: string;
  readonly title: string;
  /** `floor`: a constant body and no work, as a unit to measure the others in. */
  readonly kind: 'service' | 'peer' | 'floor';
  readonly protocol: Protocol;
  readonly program: string;
};

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function peer(name: string, title: string, protocol = rest): Target {
  return { name, title, kind: 'peer', protocol, program: path(`peers/${name}.ts`) };
}

function floor(name: string, title: string): Target {
  return { name, title, kind: 'floor', protocol: rest, program: path(`floors/${name}.ts`) };
}

/** The floor that all ratios refer to. */
export const unitFloor = floor('express-json', 'Express `res.json`, constant body');

export const service: Target = {
  name: 'service',
  title: '**this service**',
  kind: 'service',
  protocol: rest,
  program: path('../../server/src/main.ts'),
};

export const targets: readonly Target[] = [
  floor('node-http', 'node:http, constant body'),
  floor('fastify-json', 'Fastify, constant body'),
  unitFloor,
  service,
  peer('fastify-pg', 'Fastify + @fastify/rate-limit + pg'),
  peer('express-pg', 'Express + express-rate-limit + rate-limit-redis + pg'),
  peer('fastify-drizzle', 'Fastify + @fastify/rate-limit + drizzle'),
  // Node does not run decorators, so this one is compiled.
  { ...peer('nest-pg', 'NestJS + throttler + pg'), program: path('peers/nest-pg.compiled.js') },
  peer('hono-drizzle', 'Hono + hono-rate-limiter + drizzle'),
  peer('orpc-drizzle', 'oRPC + its rate limiter + drizzle'),
  peer('trpc-drizzle', 'tRPC + rate-limiter-flexible + drizzle', trpc),
];
